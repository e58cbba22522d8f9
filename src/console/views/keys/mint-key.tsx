import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { mintKey, type MintedKey } from "../../api/keys-api.ts";
import { toProblem, type Problem } from "../../api/problem.ts";
import { Button } from "../../parts/button.tsx";
import { goToFault } from "../../parts/go-to-fault.ts";
import { Page, ProblemNotice } from "../../parts/surface.tsx";
import { goTo, hrefOf } from "../../router.ts";
import { useSession } from "../../session.ts";
import { faultsOfKey, hasFaults, newKeyDraft, toNewKey, type KeyFaults } from "./key-draft.ts";
import { KeyForm } from "./key-form.tsx";
import { MintedKeyCards } from "./minted-key.tsx";

const NO_FAULTS: KeyFaults = { numbers: {} };

/** Makes a key, and shows it once. */
export function MintKey(): JSX.Element {
  const { api } = useSession();
  const [draft, setDraft] = useState(newKeyDraft);
  const [isTried, setTried] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [minted, setMinted] = useState<MintedKey>();
  const faults = faultsOfKey(draft);
  if (minted) return <Minted minted={minted} />;
  const mint = async (): Promise<void> => {
    setTried(true);
    if (hasFaults(faults)) return goToFault();
    try {
      setMinted(await mintKey(api, toNewKey(draft)));
    } catch (error) {
      setProblem(toProblem(error));
    }
  };
  return (
    <Page title="New key" lead="What its holder may do. All but where it works can be changed later.">
      <KeyForm isNew draft={draft} onDraft={setDraft} faults={isTried ? faults : NO_FAULTS} />
      {problem && <ProblemNotice problem={problem} />}
      <div class="row">
        <Button look="primary" icon="keys" onPress={mint}>
          Mint key
        </Button>
        <Button look="plain" onPress={() => goTo(["keys"])}>
          Cancel
        </Button>
      </div>
    </Page>
  );
}

const Minted = ({ minted }: { minted: MintedKey }): JSX.Element => (
  <Page
    title="Key minted"
    lead={minted.name}
    actions={
      <a class="button primary" href={hrefOf(["keys", "key", minted.id])}>
        Done
      </a>
    }
  >
    <MintedKeyCards minted={minted} />
  </Page>
);
