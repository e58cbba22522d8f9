// The same answers out of a bare Hono app.

import { Hono } from "hono";
import { answerTo } from "./constant-answers.ts";

const app = new Hono();
app.post("/mcp", async ({ req, body }) =>
  body(answerTo(await req.text()), 200, { "content-type": "application/json" }),
);

export default app;
