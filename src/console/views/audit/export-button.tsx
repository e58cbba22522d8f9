import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { AuditFilter } from "../../api/audit-api.ts";
import { countOf } from "../../parts/count-of.ts";
import { Button } from "../../parts/button.tsx";
import { formatCount } from "../../parts/figure.tsx";
import { say } from "../../parts/toasts.tsx";
import { useSession } from "../../session.ts";
import { exportTrail, saveAs } from "./export-trail.ts";

/** Saves all that matches as JSON lines. */
export function ExportButton({ filter }: { filter: AuditFilter }): JSX.Element {
  const { api } = useSession();
  const [rows, setRows] = useState<number>();
  const aborter = useRef<AbortController | null>(null);
  useEffect(() => () => aborter.current?.abort(), []);
  const run = async (): Promise<void> => {
    aborter.current = new AbortController();
    setRows(0);
    try {
      const exported = await exportTrail(api, filter, setRows, aborter.current.signal);
      saveAs(`audit-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.ndjson`, exported.lines);
      say(
        exported.isCut
          ? `The newest ${countOf(exported.rows, "row")} are saved. For all of them: toolgate audit export FILE`
          : `${countOf(exported.rows, "row is", "rows are")} saved.`,
      );
    } catch (error) {
      if (!aborter.current.signal.aborted) throw error;
    } finally {
      setRows(undefined);
    }
  };
  return (
    <>
      {rows !== undefined && (
        <span class="row" role="status">
          <span class="soft">{formatCount(rows)} rows …</span>
          <Button look="plain" onPress={() => aborter.current?.abort()}>
            Cancel
          </Button>
        </span>
      )}
      <Button icon="copy" onPress={run}>
        Export as JSON lines
      </Button>
    </>
  );
}
