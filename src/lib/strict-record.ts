import * as v from "valibot";

// Which names `v.record` passes over (valibot 1.5, `_isValidObjectKey`).
const PASSED_OVER = ["__proto__", "constructor", "prototype"];

/** `v.record` that refuses the names which it would leave out without a word. */
export const strictRecord = <K extends v.GenericSchema<string>, V extends v.GenericSchema>(name: K, value: V) =>
  v.pipe(
    v.unknown(),
    v.check(
      (record) => !PASSED_OVER.some((name) => isObject(record) && Object.hasOwn(record, name)),
      `expected no entry named ${PASSED_OVER.join(", ")}`,
    ),
    v.record(name, value),
  );

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
