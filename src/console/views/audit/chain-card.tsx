import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toProblem, type Problem } from "../../api/problem.ts";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Card, Notice, ProblemNotice } from "../../parts/surface.tsx";
import { useSession } from "../../session.ts";
import { verifyChain, type Verified } from "./verify-chain.ts";

/** Whether no admin action was changed, taken out or moved. */
export function ChainCard(): JSX.Element {
  const { api } = useSession();
  const [verified, setVerified] = useState<Verified>();
  const [problem, setProblem] = useState<Problem>();
  const verify = async (): Promise<void> => {
    try {
      setVerified(await verifyChain(api, new AbortController().signal));
      setProblem(undefined);
    } catch (error) {
      setProblem(toProblem(error));
    }
  };
  return (
    <Card
      title="Chain of admin actions"
      // Browsers hash only in pages that came over TLS or from the machine itself.
      actions={isSecureContext && <Button onPress={verify}>Verify</Button>}
    >
      <div class="stack close">
        <p class="soft small">
          Each admin action has a hash over the one before it. {isSecureContext ? "This browser" : "The command line"}{" "}
          checks them all, as <code>toolgate audit verify</code> does.
        </p>
        {problem && <ProblemNotice problem={problem} />}
        <div role="status">{verified && <Verdict verified={verified} />}</div>
      </div>
    </Card>
  );
}

function Verdict({ verified: { rows, anchor, head, fault } }: { verified: Verified }): JSX.Element {
  if (fault !== undefined) return <Notice tone="danger">The chain is broken: {fault}.</Notice>;
  const from = anchor.seq === 0 ? "from the first on" : `from ${anchor.seq + 1} on, older ones being gone by age`;
  return (
    <Notice tone="ok">
      <strong>
        {rows} admin actions, unbroken {from}.
      </strong>
      <span class="small">
        Who can write to the registry's storage could forge all of it: keep its head elsewhere, to check against later
        with <code>--expect</code>.
      </span>
      <span class="row">
        <code class="anywhere">
          {head.seq}:{head.hash}
        </code>
        <CopyButton text={`${head.seq}:${head.hash}`} />
      </span>
    </Notice>
  );
}
