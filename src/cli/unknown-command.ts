// What is said of words that are no command: which one isn't known, what comes nearest, and the commands of that group alone.

import { commandLines } from "./command-help.ts";
import type { Command } from "./command.ts";
import { nearestWord } from "./nearest-word.ts";

/** The words of a command line that begin no command, explained. */
export function explainUnknown(words: readonly string[], commands: Command[]): string {
  const groups = [...new Set(commands.map(groupOf))];
  const [first, second] = words;
  const all = `Commands begin with ${groups.join(", ")}. --help prints all of them.`;
  if (first === undefined) return `Expected a command, received none.\n${all}`;
  const meant = findMeant(first, second, commands);
  const group = groups.includes(first) ? first : meant === undefined ? undefined : groupOf({ name: meant });
  const received = JSON.stringify(words.slice(0, 2).join(" "));
  const fault = `Expected a command, received ${received}${unknownWord(first, second, groups)}.`;
  const head = meant === undefined || (meant === group && first === group) ? fault : `${fault} Did you mean ${meant}?`;
  if (group === undefined) return `${head}\n${all}`;
  const own = commands.filter((command) => groupOf(command) === group);
  return `${head}\n\n${commandLines(own)}\n\n--help prints all commands.`;
}

function unknownWord(first: string, second: string | undefined, groups: readonly string[]): string {
  if (!groups.includes(first)) return `: ${JSON.stringify(first)} is not known`;
  return second === undefined ? "" : `: ${first} has no ${JSON.stringify(second)}`;
}

/** The command that was meant, or its group where no more can be said; words may have come in the other order, or as one. */
function findMeant(first: string, second: string | undefined, commands: Command[]): string | undefined {
  if (second !== undefined) {
    const found = [findCommand(first, second, commands), findCommand(second, first, commands)];
    const whole = found.find((name) => name?.includes(" "));
    return whole ?? found[0];
  }
  const asOne = nearestWord(
    first,
    commands.map(({ name }) => name.replace(" ", "")),
  );
  return (
    commands.find(({ name }) => name.replace(" ", "") === asOne)?.name ?? nearestWord(first, commands.map(groupOf))
  );
}

function findCommand(noun: string, verb: string, commands: Command[]): string | undefined {
  const group = nearestWord(noun, commands.map(groupOf));
  if (group === undefined) return undefined;
  const own = commands.filter((command) => groupOf(command) === group).map(({ name }) => name.slice(group.length + 1));
  const near = nearestWord(verb, own);
  return near === undefined ? group : `${group} ${near}`.trimEnd();
}

const groupOf = ({ name }: Pick<Command, "name">): string => name.split(" ", 1)[0] ?? name;
