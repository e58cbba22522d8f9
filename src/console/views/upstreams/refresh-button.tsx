import type { JSX } from "preact";
import { refreshUpstream, type UpstreamAnswer } from "../../api/upstreams-api.ts";
import { Button } from "../../parts/button.tsx";
import { countOf } from "../../parts/count-of.ts";
import { say } from "../../parts/toasts.tsx";
import { useSession } from "../../session.ts";

interface RefreshButtonProps {
  name: string;
  slim?: boolean;
  onChanged: () => void;
}

/** Has an upstream's tools listed now. */
export function RefreshButton({ name, slim, onChanged }: RefreshButtonProps): JSX.Element {
  const { api } = useSession();
  const refresh = async (): Promise<void> => {
    sayListed(await refreshUpstream(api, name));
    onChanged();
  };
  return (
    <Button {...(slim && { slim })} label={`Refresh ${name}`} onPress={refresh}>
      Refresh
    </Button>
  );
}

/** What came of listing. */
export function sayListed({ name, status }: UpstreamAnswer): void {
  if (status.state === "failing") say(`${name} is failing: ${status.reason}`, "danger");
  else if (status.state === "off") say(`${name} is off: none of its tools are served.`);
  else {
    const skipped = status.skipped.length > 0 ? `, ${status.skipped.length} not` : "";
    say(`${countOf(status.tools, "tool")} of ${name} ${status.tools === 1 ? "is" : "are"} served${skipped}.`);
  }
}
