// The figures as tables for people.

import { textFields, textTable } from "../../../src/cli/text-table.ts";
import type { BurstFigures } from "./burst.ts";
import type { Change, ChangeFigures } from "./changes.ts";
import type { DroppedFigures } from "./dropped.ts";
import type { IdleFigures } from "./idle.ts";
import { median, type Spread } from "./spread.ts";

export interface Figures {
  machine: Record<string, string | number>;
  changes: ChangeFigures[];
  bursts: BurstFigures[];
  idle?: IdleFigures;
  dropped?: DroppedFigures;
  /** What must not be; the run fails when there is any. */
  faults: string[];
}

export function reportText({ machine, changes, bursts, idle, dropped, faults }: Figures): string {
  const parts = [
    textFields(Object.entries(machine).map(([name, value]) => [name, String(value)])),
    ...(changes.length > 0 ? [TIMES_TITLE, textTable(TIMES_HEADING, changes.flatMap(timesRows))] : []),
    ...(changes.length > 0 ? [COUNTS_TITLE, textTable(COUNTS_HEADING, changes.map(countsRow))] : []),
    ...(bursts.length > 0 ? [BURSTS_TITLE, textTable(BURSTS_HEADING, bursts.map(burstRow))] : []),
    ...(idle ? ["Listeners that say nothing", textFields(idleFields(idle))] : []),
    ...(dropped ? [DROPPED_TITLE, textTable(DROPPED_HEADING, droppedRows(dropped))] : []),
    faults.length > 0 ? `Faults\n${faults.map((fault) => `- ${fault}`).join("\n")}` : "No faults.",
  ];
  return `\n${parts.join("\n\n")}\n`;
}

const TIMES_TITLE =
  "Until a listener hears of a change, in ms: the median over the changes, and the worst of them for the last listener";
const TIMES_HEADING = ["", "from", "first", "median", "99 %", "last", "worst", "target"];

function timesRows({ scenario, targetMs, changes }: ChangeFigures): string[][] {
  const row = (from: string, spreads: (Spread | undefined)[], target = ""): string[][] => {
    const known = spreads.filter((spread) => spread !== undefined);
    if (known.length === 0) return [];
    const mid = (pick: (spread: Spread) => number): string => ms(median(known.map(pick)));
    const worst = ms(Math.max(...known.map(({ lastMs }) => lastMs)));
    return [
      [
        scenario,
        from,
        mid(({ firstMs }) => firstMs),
        mid(({ medianMs }) => medianMs),
        mid(({ p99Ms }) => p99Ms),
        mid(({ lastMs }) => lastMs),
        worst,
        target,
      ],
    ];
  };
  return [
    ...row(
      "answer",
      changes.map(({ fromAnswer }) => fromAnswer),
    ),
    ...row(
      "publication",
      changes.map(({ fromPublication }) => fromPublication),
      targetMs === undefined ? "" : ms(targetMs),
    ),
  ];
}

const COUNTS_TITLE =
  "Who heard what; the CPU time in ms that a change took, and what others took of the machine; the same for connecting";
const COUNTS_HEADING = ["", "listeners", "by a door", "hubs", "changes", "missed", "repeated"];
COUNTS_HEADING.push("server", "clients", "others %", "connected in s", "CPU each");

function countsRow(figures: ChangeFigures): string[] {
  const { scenario, listeners, throughDoor, hubs, connectMs, connectCpuMs, changes } = figures;
  const sum = (pick: (change: Change) => number): number => changes.reduce((total, change) => total + pick(change), 0);
  const server = changes.flatMap(({ serverCpuMs }) => serverCpuMs ?? []);
  const others = changes.flatMap(({ othersShare }) => othersShare ?? []);
  return [
    scenario,
    String(listeners),
    String(throughDoor),
    hubs.join(" + "),
    String(changes.length),
    String(sum(({ missed }) => missed)),
    String(sum(({ repeated }) => repeated)),
    server.length > 0 ? ms(median(server)) : "",
    ms(median(changes.map(({ clientCpuMs }) => clientCpuMs))),
    others.length > 0 ? ms(100 * median(others)) : "",
    seconds(connectMs),
    connectCpuMs === undefined ? "" : connectCpuMs.toFixed(1),
  ];
}

const BURSTS_TITLE = "Many changes at once";
const BURSTS_HEADING = ["", "changes", "within ms", "publications", "longest wait", "heard at most", "allowed"];
BURSTS_HEADING.push("missed", "behind", "listed old", "last after ms");

const burstRow = (figures: BurstFigures): string[] => [
  figures.scenario,
  String(figures.changes),
  ms(figures.tookMs),
  String(figures.publications),
  ms(figures.longestWaitMs),
  String(figures.heardMax),
  String(figures.allowed),
  String(figures.missed),
  String(figures.behind),
  `${figures.listedOld} of ${figures.listed}`,
  ms(figures.lastMs),
];

function idleFields(idle: IdleFigures): [string, string][] {
  const { listeners, idleMs, events, serverCpuMs, awokeIdle, awokeForChange, awakeMs, change } = idle;
  const asked = Object.entries(events).map(([event, count]) => `${event} ${count}`);
  return [
    ["listeners, half sockets, half streams", String(listeners)],
    ["idle for", `${seconds(idleMs)} s`],
    ["events delivered to objects meanwhile", asked.length > 0 ? asked.join(", ") : "0"],
    ["CPU time of the server meanwhile", serverCpuMs === undefined ? "" : `${ms(serverCpuMs)} ms`],
    ["times the hub's constructor ran meanwhile", String(awokeIdle)],
    ["and for the change after it", String(awokeForChange)],
    ["awake since, says the admin API", awakeMs === undefined ? "not exposed" : `${ms(awakeMs)} ms`],
    ["heard of the change", `${listeners - change.missed} of ${listeners}`],
    ["last of them after", change.fromAnswer ? `${ms(change.fromAnswer.lastMs)} ms` : ""],
  ];
}

const DROPPED_TITLE = "Clients that vanish without a word, until the admin API no longer lists them";
const DROPPED_HEADING = ["kind", "listeners", "left", "gone after s", "target s"];

const droppedRows = ({ kinds, targetMs }: DroppedFigures): string[][] =>
  Object.entries(kinds).map(([kind, { listeners, left, goneMs }]) => [
    kind,
    String(listeners),
    String(left),
    goneMs === undefined ? "" : seconds(goneMs),
    seconds(targetMs),
  ]);

const ms = (value: number): string => value.toFixed(0);
const seconds = (valueMs: number): string => (valueMs / 1_000).toFixed(1);
