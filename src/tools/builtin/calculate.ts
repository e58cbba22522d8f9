import * as v from "valibot";
import { LIMITS } from "../../lib/limits.ts";
import { text } from "../content.ts";
import { defineTool } from "../define-tool.ts";
import { CONSTANT_NAMES, evaluateExpression, FUNCTION_NAMES } from "./arithmetic.ts";
import { emojiIcon } from "./emoji-icon.ts";

export const calculate = defineTool({
  name: "calculate",
  title: "Calculate",
  description: `Evaluates one arithmetic expression in double precision. Use it whenever a number has to be right.
Operators: + - * / % (remainder) ^ (power, right to left; -2^2 is -4) and parentheses. Constants: ${CONSTANT_NAMES}.
Functions: ${FUNCTION_NAMES}. Angles are radians: sin(rad(30)). log is natural, log(x, base) any; round(x, digits).
Example: {"expression": "1200 * (1 + 0.035/12)^(12*5)"}`,
  icons: [emojiIcon("🧮")],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  input: v.strictObject({
    expression: v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(LIMITS.calculatorChars),
      v.description("The expression, such as sqrt(3^2 + 4^2) / 2. A point marks decimals; multiplication needs its *."),
    ),
  }),
  output: v.strictObject({
    expression: v.pipe(v.string(), v.description("The expression as it was given.")),
    result: v.pipe(v.number(), v.description("Its value.")),
  }),
  run: ({ expression }) => {
    const result = evaluateExpression(expression);
    return { structuredContent: { expression, result }, content: [text(`${expression} = ${result}`)] };
  },
});
