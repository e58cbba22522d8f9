// A user sent to a URL, in the words of each revision that has some for it.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, expect, it } from "vitest";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { elicitUrl } from "../../../src/tools/input-request.ts";
import { SseReader } from "../../support/sse-reader.ts";
import { call, edgeClient, modern } from "../../support/stream-client.ts";

afterEach(() => reset());

const abilities = { elicitation: { form: {}, url: {} } };
const params = { mode: "url", message: "Please sign in", url: "https://login.example/start" };

const signIn = defineTool({
  name: "sign_in",
  description: "Sends the user to a page.",
  input: v.object({}),
  run: async (_, { requireInput }) => {
    const { page } = await requireInput({ page: elicitUrl(params.message, params.url) });
    return page.action;
  },
});

it("has an id of its own in 2025-11-25", async () => {
  const client = await edgeClient([signIn]);
  const headers = await client.initialize("2025-11-25", abilities);
  const reader = new SseReader(await client.post(call("sign_in"), headers));
  await reader.next();
  const { id, ...question } = await reader.nextMessage<{ id: string }>();
  expect(question).toEqual({
    jsonrpc: "2.0",
    method: "elicitation/create",
    params: { ...params, elicitationId: expect.stringMatching(/^[a-z2-7]{26}$/) },
  });
  await client.post({ jsonrpc: "2.0", id, result: { action: "accept" } }, headers);
  expect(await reader.restMessages()).toMatchObject([{ result: { content: [{ text: "accept" }] } }]);
});

it("is not asked in 2025-06-18, which has forms alone", async () => {
  const client = await edgeClient([signIn]);
  const headers = await client.initialize("2025-06-18", abilities);
  expect(await (await client.post(call("sign_in"), headers)).json()).toMatchObject({ result: { isError: true } });
});

it("has no id in 2026-07-28", async () => {
  const client = await edgeClient([signIn]);
  const { message, headers } = modern("tools/call", { name: "sign_in", arguments: {} }, { capabilities: abilities });
  const response = await client.post(message, headers);
  const { result } = await response.json<{ result: { inputRequests: object } }>();
  expect(result.inputRequests).toEqual({ page: { method: "elicitation/create", params } });
});
