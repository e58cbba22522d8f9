import { cpus } from "node:os";

/** CPU time that the whole machine has spent since it started, all cores together. */
export const busyMs = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);

export const coreCount = (): number => cpus().length;
