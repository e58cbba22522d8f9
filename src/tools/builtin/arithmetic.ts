// Arithmetic, parsed by jsep and evaluated over the tables below. What is in no table does not exist: no properties, no
// assignments, no strings. The text is bounded before it is parsed, for the parser recurses.

import jsep from "jsep";
import { countOf } from "../../lib/count-of.ts";
import { LIMITS } from "../../lib/limits.ts";
import { ToolError } from "../tool-error.ts";

type Operation = (left: number, right: number) => number;

interface MathFunction {
  minArgs: number;
  maxArgs: number;
  apply: (...args: number[]) => number;
}

const ADDITIVE = 1;
const MULTIPLICATIVE = 2;
const POWER = 3;

const OPERATORS = new Map<string, { precedence: number; apply: Operation }>([
  ["+", { precedence: ADDITIVE, apply: (left, right) => left + right }],
  ["-", { precedence: ADDITIVE, apply: (left, right) => left - right }],
  ["*", { precedence: MULTIPLICATIVE, apply: (left, right) => left * right }],
  ["/", { precedence: MULTIPLICATIVE, apply: (left, right) => left / right }],
  ["%", { precedence: MULTIPLICATIVE, apply: (left, right) => left % right }],
  ["^", { precedence: POWER, apply: Math.pow }],
  ["**", { precedence: POWER, apply: Math.pow }],
]);

const CONSTANTS = new Map([
  ["e", Math.E],
  ["pi", Math.PI],
  ["tau", 2 * Math.PI],
]);

const FROM_MATH = [
  ...(["abs", "acos", "asin", "atan", "cbrt", "ceil", "cos", "cosh", "exp", "floor"] as const),
  ...(["log2", "log10", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"] as const),
];

const FUNCTIONS = new Map<string, MathFunction>([
  ...FROM_MATH.map((name) => [name, { minArgs: 1, maxArgs: 1, apply: Math[name] }] as const),
  ["deg", { minArgs: 1, maxArgs: 1, apply: (radians) => (radians * 180) / Math.PI }],
  ["rad", { minArgs: 1, maxArgs: 1, apply: (degrees) => (degrees * Math.PI) / 180 }],
  ["ln", { minArgs: 1, maxArgs: 1, apply: Math.log }],
  ["factorial", { minArgs: 1, maxArgs: 1, apply: factorial }],
  ["atan2", { minArgs: 2, maxArgs: 2, apply: Math.atan2 }],
  ["hypot", { minArgs: 1, maxArgs: Infinity, apply: Math.hypot }],
  ["log", { minArgs: 1, maxArgs: 2, apply: logarithm }],
  ["max", { minArgs: 1, maxArgs: Infinity, apply: Math.max }],
  ["min", { minArgs: 1, maxArgs: Infinity, apply: Math.min }],
  ["pow", { minArgs: 2, maxArgs: 2, apply: Math.pow }],
  ["round", { minArgs: 1, maxArgs: 2, apply: round }],
]);

configureParser();

/** Names that an expression may use. */
export const CONSTANT_NAMES = [...CONSTANTS.keys()].join(", ");
export const FUNCTION_NAMES = [...FUNCTIONS.keys()].sort().join(", ");

/** The value of an expression of at most `LIMITS.calculatorChars`; always finite. Throws `ToolError` saying why not. */
export const evaluateExpression = (expression: string): number => evaluate(parse(expression)) + 0;

function configureParser(): void {
  jsep.removeAllBinaryOps();
  jsep.removeAllUnaryOps();
  jsep.removeAllLiterals();
  for (const [name, { precedence }] of OPERATORS) jsep.addBinaryOp(name, precedence, precedence === POWER);
  // jsep binds a sign tighter than any operator; in arithmetic a power binds tighter than the sign before it.
  jsep.hooks.add("gobble-token", function (env) {
    const operator = this.char;
    if (operator !== "-" && operator !== "+") return;
    this.index += 1;
    env.node = { type: "UnaryExpression", operator, argument: parsePower(this), prefix: true };
  });
}

function parsePower(parser: jsep.HookScope): jsep.Expression {
  const left = parser.gobbleToken();
  if (!left) return parser.throwError("Expected a value after the sign");
  parser.gobbleSpaces();
  const operator = /^(?:\^|\*\*)/.exec(parser.expr.slice(parser.index, parser.index + 2))?.[0];
  if (operator === undefined) return left;
  parser.index += operator.length;
  return { type: "BinaryExpression", operator, left, right: parsePower(parser) };
}

function parse(expression: string): jsep.Expression {
  checkText(expression);
  try {
    return jsep(expression);
  } catch (error) {
    // What the parser says on purpose carries the place; anything else is not the caller's fault.
    if (error instanceof Error && "index" in error) throw new ToolError(`Expression not understood: ${error.message}.`);
    throw error;
  }
}

function checkText(expression: string): void {
  const stranger = /[^\w \t\r\n.,+\-*/%^()]/u.exec(expression);
  if (stranger) {
    throw new ToolError(
      `Expression not understood: unexpected ${JSON.stringify(stranger[0])} at character ${stranger.index}.`,
    );
  }
  if (/(?:^|[(,])\s*,|,\s*(?:\)|$)/.test(expression)) {
    throw new ToolError("Expression not understood: a comma stands only between the arguments of a function.");
  }
  if (/[\w.)]\s+[\w.]/.test(expression)) {
    throw new ToolError("Expression not understood: an operator is missing between two values.");
  }
  if (depthOf(expression) > LIMITS.calculatorDepth) {
    throw new ToolError(`Expression too deep: the limit is ${LIMITS.calculatorDepth} parentheses inside each other.`);
  }
}

function depthOf(expression: string): number {
  let depth = 0;
  let deepest = 0;
  for (const char of expression) {
    if (char === "(") deepest = Math.max(deepest, ++depth);
    if (char === ")") depth--;
  }
  return deepest;
}

function evaluate(expression: jsep.Expression): number {
  const node = expression as jsep.CoreExpression;
  switch (node.type) {
    case "Literal":
      return finite(Number(node.value), node.raw);
    case "Identifier":
      return constant(node.name);
    case "UnaryExpression":
      return node.operator === "-" ? -evaluate(node.argument) : evaluate(node.argument);
    case "BinaryExpression":
      return operate(node.operator, evaluate(node.left), evaluate(node.right));
    case "CallExpression":
      return call(node);
    case "Compound":
    case "SequenceExpression":
      throw new ToolError("Expected one expression: several values stand side by side, or there is none.");
    default:
      throw new ToolError("Only numbers, operators, functions and constants are allowed in an expression.");
  }
}

function constant(name: string): number {
  const value = CONSTANTS.get(name);
  if (value !== undefined) return value;
  if (FUNCTIONS.has(name)) throw new ToolError(`${name} is a function: write ${name}(…).`);
  throw new ToolError(`Unknown constant ${name}: expected one of ${CONSTANT_NAMES}.`);
}

function operate(operator: string, left: number, right: number): number {
  if ((operator === "/" || operator === "%") && right === 0) {
    throw new ToolError(`Division by zero: ${left} ${operator} 0.`);
  }
  const operation = OPERATORS.get(operator);
  if (!operation) throw new ToolError(`Unknown operator ${operator}.`);
  return finite(operation.apply(left, right), `${left} ${operator} ${right}`);
}

function call({ callee, arguments: nodes }: jsep.CallExpression): number {
  if (callee.type !== "Identifier") throw new ToolError("Only a function can be called: multiplication needs its *.");
  const name = String(callee["name"]);
  const known = FUNCTIONS.get(name);
  if (!known) throw new ToolError(`Unknown function ${name}: expected one of ${FUNCTION_NAMES}.`);
  const { minArgs, maxArgs, apply } = known;
  if (nodes.length < minArgs || nodes.length > maxArgs) {
    throw new ToolError(`${name} takes ${describeArity(minArgs, maxArgs)}, got ${nodes.length}.`);
  }
  const args = nodes.map(evaluate);
  return finite(apply(...args), `${name}(${args.join(", ")})`);
}

function describeArity(min: number, max: number): string {
  if (max === Infinity) return `${min} argument or more`;
  return min === max ? countOf(min, "argument") : `${min} to ${max} arguments`;
}

function finite(value: number, what: string): number {
  if (Number.isNaN(value)) throw new ToolError(`${what} is not a real number.`);
  if (Number.isFinite(value)) return value;
  throw new ToolError(`${what} is not finite: the largest number is ${Number.MAX_VALUE}.`);
}

function factorial(n: number): number {
  if (!Number.isInteger(n) || n < 0) throw new ToolError(`factorial takes a whole number from 0 on, got ${n}.`);
  let product = 1;
  for (let factor = 2; factor <= n && product < Infinity; factor++) product *= factor;
  return product;
}

function logarithm(x: number, base = Math.E): number {
  if (base === 10) return Math.log10(x);
  return base === 2 ? Math.log2(x) : Math.log(x) / Math.log(base);
}

function round(x: number, digits = 0): number {
  if (Number.isInteger(digits) && digits >= 0 && digits <= 15) return Number(x.toFixed(digits));
  throw new ToolError(`round takes 0 to 15 digits, got ${digits}.`);
}
