// The server's own word on a record, asked for a moment after the last keystroke.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Verdict } from "../../../lint/verdict.ts";
import { toProblem, type Problem } from "../../api/problem.ts";
import { checkTool, type Fault } from "../../api/tools-api.ts";
import { countOf } from "../../parts/count-of.ts";
import { Card, Notice, ProblemNotice } from "../../parts/surface.tsx";
import { useSession } from "../../session.ts";
import { VerdictList } from "./lint-panel.tsx";

export interface Check {
  state: "waiting" | "checking" | "bad" | "good";
  faults: readonly Fault[];
  warnings: readonly Verdict[];
  /** A refusal that is not about the record. */
  problem?: Problem;
}

const WAITING: Check = { state: "waiting", faults: [], warnings: [] };
/** A check is paid for as a write is: not one a keystroke. */
const PAUSE_MS = 500;
const TAKEN = "There is a tool of this name already: edit that one, or take another name.";

type Made = { text: string } | { faults: Fault[] };

/** Checks a record as it is typed. */
export function useCheck(name: string, made: Made, isNew: boolean): Check {
  const { api } = useSession();
  const [check, setCheck] = useState(WAITING);
  const text = "text" in made ? made.text : undefined;
  const ownFaults = "faults" in made ? made.faults : [];
  useEffect(() => {
    if (name === "" || text === undefined) {
      setCheck({ ...WAITING, state: text === undefined ? "bad" : "waiting", faults: ownFaults });
      return undefined;
    }
    const aborter = new AbortController();
    setCheck((before) => ({ ...before, state: "checking" }));
    const timer = setTimeout(() => {
      void ask(text, aborter.signal).then((answer) => (aborter.signal.aborted ? undefined : setCheck(answer)));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [name, text, JSON.stringify(ownFaults)]);

  async function ask(record: string, signal: AbortSignal): Promise<Check> {
    try {
      const { change, faults, warnings } = await checkTool(api, name, record, signal);
      const taken = isNew && change === "update" ? [{ path: "name", message: TAKEN }] : [];
      const all = [...faults, ...taken];
      return { state: all.length > 0 ? "bad" : "good", faults: all, warnings };
    } catch (error) {
      return { state: "bad", faults: [], warnings: [], problem: toProblem(error) };
    }
  }
  return check;
}

/** The first fault at a place or inside it: places are told with dots, or as JSON pointers. */
export function faultAt(faults: readonly Fault[], place: string): string | undefined {
  const found = faults.find(({ path }) => {
    const plain = path.replace(/^\//, "").replaceAll("/", ".");
    return plain === place || plain.startsWith(`${place}.`) || plain.startsWith(`${place}[`);
  });
  if (!found) return undefined;
  const isInside = found.path.replace(/^\//, "") !== place;
  return isInside ? `${found.path}: ${found.message}` : found.message;
}

const WORDS: Record<Check["state"], string> = {
  waiting: "Give it a name, and the server checks it as you type.",
  checking: "Checking …",
  bad: "Not yet.",
  good: "The server would take it.",
};

/** What the server says of the record as it stands. */
export const CheckCard = ({ check: { state, faults, warnings, problem } }: { check: Check }): JSX.Element => (
  <Card title="Check">
    <div class="stack" aria-live="polite">
      {state === "good" ? <Notice tone="ok">{WORDS.good}</Notice> : <p class="soft">{WORDS[state]}</p>}
      {problem && <ProblemNotice problem={problem} />}
      {faults.length > 0 && (
        <ul class="stack close">
          {faults.map(({ path, message }) => (
            <li key={`${path} ${message}`} class="fault">
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <Warnings verdicts={warnings} />
    </div>
  </Card>
);

/** What is only good to know is folded away. */
function Warnings({ verdicts }: { verdicts: readonly Verdict[] }): JSX.Element {
  const grave = verdicts.filter(({ level }) => level !== "info");
  const notes = verdicts.filter(({ level }) => level === "info");
  return (
    <>
      {grave.length > 0 && <VerdictList verdicts={grave} />}
      {notes.length > 0 && (
        <details>
          <summary>{countOf(notes.length, "note")} more</summary>
          <VerdictList verdicts={notes} />
        </details>
      )}
    </>
  );
}
