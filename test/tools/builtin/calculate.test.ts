import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { calculate } from "../../../src/tools/builtin/calculate.ts";
import { ToolError } from "../../../src/tools/tool-error.ts";
import { callTool } from "../../support/tool-context.ts";

const resultOf = async (expression: string): Promise<unknown> => {
  const { structuredContent } = await callTool(calculate, { expression });
  expect(structuredContent).toEqual({ expression, result: expect.any(Number) });
  return (structuredContent as { result: number }).result;
};

test("tells expression and result, structured and as text", async () => {
  expect(await callTool(calculate, { expression: "6 * 7" })).toEqual({
    structuredContent: { expression: "6 * 7", result: 42 },
    content: [{ type: "text", text: "6 * 7 = 42" }],
  });
});

describe("values", () => {
  test.each([
    ["1", 1],
    [" \n1.5e3\t", 1500],
    [".5", 0.5],
    ["0.1 + 0.2", 0.30000000000000004],
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["10 - 4 - 3", 3],
    ["100 / 10 / 2", 5],
    ["2 * 7 % 4", 2],
    ["-7 % 4", -3],
    ["2^3", 8],
    ["2**3", 8],
    ["2^3^2", 512],
    ["2**3^2", 512],
    ["(2^3)^2", 64],
    ["2 * 3^2", 18],
    ["-2^2", -4],
    ["-2**2", -4],
    ["(-2)^2", 4],
    ["-(2)^2", -4],
    ["+2^2", 4],
    ["--2^2", 4],
    ["-+-2", 2],
    ["2^-1", 0.5],
    ["2^-2^2", 0.0625],
    ["2^-1*4", 2],
    ["1 - -2^2", 5],
    ["1 + -2 * 3", -5],
    ["2 * -3^2 + 1", -17],
    ["-2^2^3", -256],
    ["-sqrt(9)^2", -9],
    ["0 * -1", 0],
    ["-0", 0],
    ["0^0", 1],
    ["2*pi - tau", 0],
    ["ln(e)", 1],
    ["log(e^2)", 2],
    ["log(1000, 10)", 3],
    ["log(8, 2)", 3],
    ["log(9, 3)", 2],
    ["log10(1e-5)", -5],
    ["log2(1024)", 10],
    ["exp(0)", 1],
    ["sqrt(3^2 + 4^2)", 5],
    ["cbrt(-27)", -3],
    ["abs(-5.5)", 5.5],
    ["sign(-3)", -1],
    ["floor(-1.5)", -2],
    ["ceil(-1.5)", -1],
    ["trunc(-1.5)", -1],
    ["round(2.5)", 3],
    ["round(-2.5)", -3],
    ["round(10 / 3, 4)", 3.3333],
    ["round(1e21)", 1e21],
    ["min(3, 1, 2)", 1],
    ["max(3)", 3],
    ["max(1, max(2, 3), -4)", 3],
    ["pow(2, 10)", 1024],
    ["hypot(3, 4)", 5],
    ["atan2(1, 1) * 4 - pi", 0],
    ["round(sin(rad(30)), 12)", 0.5],
    ["cos(0)", 1],
    ["tan(0)", 0],
    ["deg(pi)", 180],
    ["factorial(0)", 1],
    ["factorial(5)", 120],
    ["factorial(170) / factorial(169)", 170],
    ["sqrt (4)", 2],
  ])("%s = %d", async (expression, expected) => {
    expect(await resultOf(expression)).toBe(expected);
  });

  test.each([
    ["1" + "+1".repeat(499), 500],
    ["-".repeat(998) + "1", 1],
    ["1" + "^1".repeat(499), 1],
    ["1" + "^-1".repeat(333), 1],
    ["(".repeat(LIMITS.calculatorDepth) + "1" + ")".repeat(LIMITS.calculatorDepth), 1],
    ["max(" + "1,".repeat(400) + "2)", 2],
  ])("as long and deep as allowed: %s", async (expression, expected) => {
    expect(await resultOf(expression)).toBe(expected);
  });
});

describe("what can't be computed says why", () => {
  const NOT_UNDERSTOOD = "Expression not understood: ";
  const CONSTANTS = "expected one of e, pi, tau.";
  const FUNCTIONS =
    "expected one of abs, acos, asin, atan, atan2, cbrt, ceil, cos, cosh, deg, exp, factorial, floor, hypot, ln, log, " +
    "log10, log2, max, min, pow, rad, round, sign, sin, sinh, sqrt, tan, tanh, trunc.";
  const SEVERAL = "Expected one expression: several values stand side by side, or there is none.";
  const MISSING_OPERATOR = `${NOT_UNDERSTOOD}an operator is missing between two values.`;
  const COMMA = `${NOT_UNDERSTOOD}a comma stands only between the arguments of a function.`;
  const NOT_ALLOWED = "Only numbers, operators, functions and constants are allowed in an expression.";
  const NOT_CALLABLE = "Only a function can be called: multiplication needs its *.";
  const LARGEST = "the largest number is 1.7976931348623157e+308.";

  test.each([
    ["1 / 0", "Division by zero: 1 / 0."],
    ["5 % (2 - 2)", "Division by zero: 5 % 0."],
    ["0^-1", `0 ^ -1 is not finite: ${LARGEST}`],
    ["10^400", `10 ^ 400 is not finite: ${LARGEST}`],
    ["1e999", `1e999 is not finite: ${LARGEST}`],
    ["1e308 * 10", `1e+308 * 10 is not finite: ${LARGEST}`],
    ["log(0)", `log(0) is not finite: ${LARGEST}`],
    ["factorial(171)", `factorial(171) is not finite: ${LARGEST}`],
    ["factorial(1e300)", `factorial(1e+300) is not finite: ${LARGEST}`],
    ["factorial(1.5)", "factorial takes a whole number from 0 on, got 1.5."],
    ["sqrt(-1)", "sqrt(-1) is not a real number."],
    ["(-8)^(1/3)", "-8 ^ 0.3333333333333333 is not a real number."],
    ["asin(2)", "asin(2) is not a real number."],
    ["round(1, 16)", "round takes 0 to 15 digits, got 16."],
    ["sqrt(1, 2)", "sqrt takes 1 argument, got 2."],
    ["sqrt()", "sqrt takes 1 argument, got 0."],
    ["log(1, 2, 3)", "log takes 1 to 2 arguments, got 3."],
    ["atan2(1)", "atan2 takes 2 arguments, got 1."],
    ["max()", "max takes 1 argument or more, got 0."],
    ["x + 1", `Unknown constant x: ${CONSTANTS}`],
    ["sqrt", "sqrt is a function: write sqrt(…)."],
    ["pi(1)", `Unknown function pi: ${FUNCTIONS}`],
    ["eval(1)", `Unknown function eval: ${FUNCTIONS}`],
    ["constructor", `Unknown constant constructor: ${CONSTANTS}`],
    ["__proto__", `Unknown constant __proto__: ${CONSTANTS}`],
    ["toString()", `Unknown function toString: ${FUNCTIONS}`],
    ["true", `Unknown constant true: ${CONSTANTS}`],
    ["this", NOT_ALLOWED],
    ["pi.constructor", NOT_ALLOWED],
    ["(1).constructor(1)", NOT_CALLABLE],
    ["sqrt.call(1)", NOT_CALLABLE],
    ["2(3)", SEVERAL],
    ["(1)(2)", NOT_CALLABLE],
    ["1, 2", SEVERAL],
    ["(1, 2)", SEVERAL],
    ["   ", SEVERAL],
    ["1 2", MISSING_OPERATOR],
    ["2 pi", MISSING_OPERATOR],
    ["max(1 2)", MISSING_OPERATOR],
    ["1,", COMMA],
    ["max(,1)", COMMA],
    ["max(1,,2)", COMMA],
    ["2pi", `${NOT_UNDERSTOOD}Variable names cannot start with a number (2p) at character 1.`],
    ["1 +", `${NOT_UNDERSTOOD}Expected expression after + at character 3.`],
    ["-", `${NOT_UNDERSTOOD}Expected a value after the sign at character 1.`],
    ["2^-", `${NOT_UNDERSTOOD}Expected a value after the sign at character 3.`],
    ["-2^", `${NOT_UNDERSTOOD}Expected a value after the sign at character 3.`],
    ["* 2", `${NOT_UNDERSTOOD}Unexpected "*" at character 0.`],
    ["(1", `${NOT_UNDERSTOOD}Unclosed ( at character 2.`],
    ["1)", `${NOT_UNDERSTOOD}Unexpected ")" at character 1.`],
    ["1.2.3", `${NOT_UNDERSTOOD}Unexpected period at character 3.`],
    ["a = 1", `${NOT_UNDERSTOOD}unexpected "=" at character 2.`],
    ["'a' + 'b'", `${NOT_UNDERSTOOD}unexpected "'" at character 0.`],
    ["[1]", `${NOT_UNDERSTOOD}unexpected "[" at character 0.`],
    ["pi['constructor']", `${NOT_UNDERSTOOD}unexpected "[" at character 2.`],
    ["1; 2", `${NOT_UNDERSTOOD}unexpected ";" at character 1.`],
    ["1 ? 2 : 3", `${NOT_UNDERSTOOD}unexpected "?" at character 2.`],
    ["3 × 4", `${NOT_UNDERSTOOD}unexpected "×" at character 2.`],
    ["1 + 😀", `${NOT_UNDERSTOOD}unexpected "😀" at character 4.`],
    ["1\u0000", `${NOT_UNDERSTOOD}unexpected "\\u0000" at character 1.`],
    ["(".repeat(65) + "1" + ")".repeat(65), "Expression too deep: the limit is 64 parentheses inside each other."],
  ])("%j", async (expression, message) => {
    await expect(callTool(calculate, { expression })).rejects.toThrow(new ToolError(message));
  });

  test("arguments are bounded before anything is parsed", () => {
    expect(calculate.validateInput({ expression: "1".repeat(LIMITS.calculatorChars + 1) })).toEqual({
      ok: false,
      issues: [{ path: "expression", rule: "max_length", message: "expected at most 1000 characters, received 1001" }],
    });
  });
});
