import type { Admin } from "./admin.ts";

export interface Change {
  version: number;
  /** The tools that are there from this change on. */
  names: string[];
}

/**
 * Switches all tools off one by one, then on again. Of twice as many changes in a row as there are tools, no two leave the
 * same list: a list tells which change it knows of.
 */
export function createSwitchboard(tools: string[]): (admin: Admin) => Promise<Change> {
  const off = new Set<string>();
  let changes = 0;
  return async (admin) => {
    const name = tools[changes % tools.length];
    if (name === undefined) throw new Error("there is no tool to switch");
    changes++;
    const enabled = off.delete(name);
    if (!enabled) off.add(name);
    const version = await admin.switchTool(name, enabled);
    return { version, names: tools.filter((tool) => !off.has(tool)) };
  };
}
