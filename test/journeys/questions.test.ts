import { expect, test } from "vitest";
import { KINDS, type Habits } from "./support/clients.ts";
import { startFixtureServer } from "./support/server.ts";

const server = await startFixtureServer();

const MODERN = KINDS.filter(({ era }) => era === "modern");
const LEGACY = KINDS.filter(({ era }) => era === "legacy");

test.each(KINDS)("asks the user and then the model of $client", async ({ open }) => {
  const asked: string[] = [];
  const caller = await open(server, {
    answerForm: (message) => {
      asked.push(message);
      return { action: "accept", content: { dish: "soup" } };
    },
    answerModel: (prompt) => {
      asked.push(prompt);
      return "Soup, if I may.";
    },
  });
  const { content } = await caller.call("order");
  expect([asked, content]).toEqual([
    ["What will it be?", "Order soup politely"],
    [{ type: "text", text: "Soup, if I may." }],
  ]);
});

test.each(KINDS)("takes a no from the user of $client", async ({ open }) => {
  const caller = await open(server, { answerForm: () => ({ action: "decline" }) });
  expect((await caller.call("order"))["content"]).toEqual([{ type: "text", text: "No order: decline." }]);
});

test.each(KINDS)("asks $client two things at once", async ({ open }) => {
  const caller = await open(server, { answerForm: answerByName });
  expect((await caller.call("survey"))["content"]).toEqual([
    { type: "text", text: '[{"first":"the first"},{"second":"the second"}]' },
  ]);
});

test.each(LEGACY)("tells the model of $client that nobody can be asked", async ({ open }) => {
  const caller = await open(server);
  expect(await caller.call("order")).toEqual({
    content: [{ type: "text", text: "This tool needs a client that can answer elicitation/create" }],
    isError: true,
  });
});

test.each(MODERN)("refuses the call of $client with −32021 when nobody can be asked", async ({ open }) => {
  const caller = await open(server);
  await expect(caller.call("order")).rejects.toMatchObject({
    code: -32021,
    message: expect.stringContaining("This tool needs a client that can answer elicitation/create"),
  });
});

test.each(LEGACY)("tells the model of $client why its own client refused", async ({ open }) => {
  const caller = await open(server, { answerForm: failToAnswer });
  expect(await caller.call("order")).toEqual({
    content: [{ type: "text", text: expect.stringContaining("the window is closed") }],
    isError: true,
  });
});

test("keeps the questions of clients that ask at once apart", async () => {
  const callers = await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const kind = KINDS[i % KINDS.length];
      if (!kind) throw new Error("no client");
      return kind.open(server, {
        answerForm: () => ({ action: "accept", content: { dish: `dish ${i}` } }),
        answerModel: (prompt) => `${i}: ${prompt}`,
      });
    }),
  );
  const answers = await Promise.all(callers.map((caller) => caller.call("order")));
  expect(answers.map(({ content }) => content)).toEqual(
    callers.map((_, i) => [{ type: "text", text: `${i}: Order dish ${i} politely` }]),
  );
});

/** Fills in the one field that the message names. */
const answerByName: NonNullable<Habits["answerForm"]> = (message) => {
  const name = message.split(" ")[1] ?? "";
  return { action: "accept", content: { [name]: `the ${name}` } };
};

const failToAnswer: NonNullable<Habits["answerForm"]> = () => {
  throw new Error("the window is closed");
};
