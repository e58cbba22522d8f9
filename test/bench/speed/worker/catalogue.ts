// The tools that every server here has: two that are called, and as many more as fill the list.

/** How many tools there are, set when a Worker is bundled. */
declare const TOOLS: number;

export const SERVER = { name: "bench", version: "1.0.0" };
export const ECHO = { name: "echo", description: "Gives back the text that it was given." };
export const ADD = { name: "add", description: "Adds up two numbers." };

/** What else is listed, of one shape. */
export const OTHERS = Array.from({ length: TOOLS - 2 }, (_, n) => ({
  name: `find_${n}`,
  description: `Looks through collection ${n} and gives back the entries that match, best first.`,
}));

/** The parameters of the others, in words. */
export const PARAMETERS = {
  query: "What to look for",
  limit: "How many entries at most",
  order: "Which entries come first",
};
