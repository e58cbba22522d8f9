// Tools as an operator of a large company would have them: names, words and schemas that differ, drawn by a seed.

const VERBS = "create list get update delete archive export import send approve cancel refund merge assign".split(" ");
const NOUNS =
  "invoice customer order ticket project repository branch event message channel payment subscription product shipment report alert contract lead campaign asset folder document comment label milestone deployment".split(
    " ",
  );
const KINDS = "draft overdue archived pending recurring external internal monthly weekly primary".split(" ");

interface Put {
  op: "put";
  name: string;
  record: object;
}

/** `count` edits that put HTTP tools, `t0` to the last: each asks the same upstream. */
export function toolPuts(count: number, upstream: string): Put[] {
  const next = randomNumbers(1);
  const pick = (words: string[]): string => words[next(words.length)] ?? "";
  return Array.from({ length: count }, (_, index) => {
    const [verb, kind, noun, other] = [pick(VERBS), pick(KINDS), pick(NOUNS), pick(NOUNS)];
    const properties = {
      id: { type: "string", maxLength: 100, description: `Which ${noun} to ${verb}` },
      [`${other}_id`]: { type: "string", maxLength: 100, description: `The ${other} that it belongs to` },
      limit: { type: "integer", minimum: 1, maximum: 100, description: "How many at most" },
      order: { type: "string", enum: ["newest", "oldest"], description: `How to sort each ${pick(NOUNS)}` },
    };
    const record = {
      title: `${verb} ${kind} ${noun}`,
      description: `Can ${verb} a ${kind} ${noun} of a ${other} and answers what became of its ${pick(NOUNS)}. Number ${index}.`,
      inputSchema: { type: "object", properties, required: ["id"], additionalProperties: false },
      annotations: { readOnlyHint: true },
      source: {
        kind: "http",
        method: "POST",
        url: `${upstream}/things/{id}`,
        query: { limit: "{limit}", order: "{order}" },
        result: "text",
      },
    };
    return { op: "put", name: `${verb}_${kind}_${noun}_${index}`, record };
  });
}

/** Whole numbers below a bound, the same for the same seed (a linear congruence, as in Numerical Recipes). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
