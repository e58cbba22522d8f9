/** Ends all processes of a group at once, if there are any. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // No such group: everything has ended.
  }
}
