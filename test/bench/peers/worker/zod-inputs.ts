// Inputs for the servers that take zod, made once.

import { z } from "zod";
import { OTHERS, PARAMETERS } from "../../speed/worker/catalogue.ts";

export const echoInput = z.object({ text: z.string() });
export const addInput = z.object({ a: z.number(), b: z.number() });
export const otherInputs = OTHERS.map(() =>
  z.object({
    query: z.string().describe(PARAMETERS.query),
    limit: z.number().describe(PARAMETERS.limit).optional(),
    order: z.enum(["newest", "oldest"]).describe(PARAMETERS.order).optional(),
  }),
);

export const textResult = (text: string) => ({ content: [{ type: "text" as const, text }] });
