// The catalogue's rows as isolates and replicas hold them. Each row knows the version that changed it, and so does the
// mark of one that is gone: so a reader that is not far behind is told of what changed alone.

import { LIMITS } from "../lib/limits.ts";
import type { RowChange, Snapshot, ToolRow } from "./registry-contract.ts";

export class RowTable {
  version = -1;
  readonly #rows = new Map<string, RowChange>();
  /** Marks up to this version are not kept. */
  #floor = 0;

  /** Takes in what the registry or a replica answered; whether anything is newer now. Never goes back. */
  apply({ version, rows, since }: Snapshot): boolean {
    if (rows === undefined || version <= this.version) return false;
    // What changed after a version says nothing to who is not there yet.
    if (since !== undefined && since > this.version) return false;
    if (since === undefined) {
      this.#rows.clear();
      this.#floor = version;
    }
    for (const change of rows) this.#rows.set(change.name, change);
    this.version = version;
    this.#forgetMarks();
    return true;
  }

  /** What a reader at version `have` is to be told. */
  since(have: number): Snapshot {
    const { version } = this;
    if (have === version) return { v: 1, version };
    const isKnown = have >= this.#floor && have < version;
    const rows = [...this.#rows.values()].filter((change) => (isKnown ? change.version > have : change.row !== null));
    return { v: 1, version, rows, ...(isKnown && { since: have }) };
  }

  rows(): ToolRow[] {
    return [...this.#rows.values()].flatMap(({ row }) => row ?? []);
  }

  #forgetMarks(): void {
    const marks = [...this.#rows.values()].filter(({ row }) => row === null);
    const oldest = marks.toSorted((a, b) => a.version - b.version).slice(0, -LIMITS.deletedTools);
    for (const { name, version } of oldest) {
      this.#rows.delete(name);
      this.#floor = version;
    }
  }
}
