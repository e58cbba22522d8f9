import type { ToolRules } from "./key-record.ts";

/** Whether a key with these rules may see and call a tool. */
export function isToolAllowed({ allow, deny }: ToolRules, toolName: string): boolean {
  if (deny?.some((glob) => matchesGlob(glob, toolName))) return false;
  return allow === undefined || allow.some((glob) => matchesGlob(glob, toolName));
}

/** Whether the rules can hide any tool at all. */
export const hidesTools = ({ allow, deny }: ToolRules): boolean => allow !== undefined || (deny?.length ?? 0) > 0;

/** `*` stands for any run of characters. Two pointers and one way back, so that no glob can be slow. */
export function matchesGlob(glob: string, name: string): boolean {
  let [at, star, resume] = [0, -1, 0];
  for (let i = 0; i < name.length;) {
    if (glob[at] === "*") {
      star = at++;
      resume = i;
    } else if (glob[at] === name[i]) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++resume;
    } else return false;
  }
  while (glob[at] === "*") at++;
  return at === glob.length;
}
