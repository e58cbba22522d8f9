/** What goes wrong with calls of objects, as shares of all calls. */
export interface FaultPlan {
  seed: number;
  /** Calls that are late, on their way there or back. */
  delayShare: number;
  delayMaxMs: number;
  /** Calls that never arrive. */
  lostRequestShare: number;
  /** Calls that are carried out, of which the caller does not hear. */
  lostAnswerShare: number;
}

export const NO_FAULTS: FaultPlan = {
  seed: 0,
  delayShare: 0,
  delayMaxMs: 0,
  lostRequestShare: 0,
  lostAnswerShare: 0,
};

/** Sets the plan of the isolate that is asked. */
export const FAULT_PLAN_PATH = "/fault-plan";

/** One object, and what is done to it. */
export interface Blow {
  kind: "evict" | "evict_closing_sockets" | "reset";
  binding: string;
  name: string;
}
