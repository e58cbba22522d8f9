// An object has one alarm: this keeps what it is for. Written only when something is due earlier than before.

/** Ends of keys and of idle sockets; asking for signs of life, and closing who gave none; telling the next in turn. */
export type HubTask = "ends" | "ping" | "reap" | "tell";

type Agenda = Partial<Record<HubTask, number>>;

export class HubAgenda {
  readonly #storage: DurableObjectStorage;
  #agenda: Agenda;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#agenda = storage.kv.get<Agenda>("agenda") ?? {};
  }

  /** Plans a task for a time, in milliseconds since 1970, unless it is planned for an earlier one. */
  plan(task: HubTask, atMs: number): void {
    if (atMs >= (this.#agenda[task] ?? Infinity)) return;
    const isNext = atMs < earliest(this.#agenda);
    this.#write({ ...this.#agenda, [task]: atMs });
    if (isNext) void this.#storage.setAlarm(atMs);
  }

  /** The tasks that are due, which are then off the agenda; the alarm, having gone off, is set for the next one. */
  take(nowMs: number): HubTask[] {
    const entries = Object.entries(this.#agenda) as [HubTask, number][];
    this.#write(Object.fromEntries(entries.filter(([, atMs]) => atMs > nowMs)));
    const nextMs = earliest(this.#agenda);
    if (nextMs < Infinity) void this.#storage.setAlarm(nextMs);
    return entries.filter(([, atMs]) => atMs <= nowMs).map(([task]) => task);
  }

  #write(agenda: Agenda): void {
    this.#agenda = agenda;
    this.#storage.kv.put("agenda", agenda);
  }
}

const earliest = (agenda: Agenda): number => Math.min(Infinity, ...Object.values(agenda));
