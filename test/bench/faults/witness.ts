// What a run has seen: counts for the summary, and findings, each of which is a broken promise.

export interface Finding {
  round: number;
  what: string;
}

export class Witness {
  readonly counts = new Map<string, number>();
  readonly findings: Finding[] = [];
  round = 0;

  count(what: string, times = 1): void {
    this.counts.set(what, this.read(what) + times);
  }

  read(what: string): number {
    return this.counts.get(what) ?? 0;
  }

  find(what: string): void {
    this.findings.push({ round: this.round, what });
  }

  /** A finding unless something holds. */
  expect(holds: boolean, what: () => string): void {
    this.count("checks");
    if (!holds) this.find(what());
  }
}
