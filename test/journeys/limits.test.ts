import { expect, onTestFinished, test } from "vitest";
import { calculate, calculated, openHttpSession, post, request, type HttpAnswer } from "./support/rpc.ts";
import { startServer } from "./support/server.ts";
import { openSession } from "./support/socket.ts";

const server = await startServer();
const endpoint = server.endpoint();

test("gives a key that may make 10 calls at once exactly 10 of 50, and tells the others when to come again", async () => {
  const { key } = await server.mintKey({ limits: { perMinute: 10, burst: 10 } });
  const session = await openHttpSession(endpoint, key);
  const calls = Array.from({ length: 50 }, (_, i) => calculate(`${i} + 1`, `call-${i}`));
  const answers = await Promise.all(calls.map((call) => post(endpoint, key, call, session)));
  const admitted = answers.filter(({ status }) => status === 200);
  expect(admitted).toHaveLength(10);
  expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
    answers.map((answer, i) => (admitted.includes(answer) ? result(i) : refusal(i, answer))),
  );
});

test("gives 200 calls at once on 50 a minute exactly 50", async () => {
  const { key } = await server.mintKey({ limits: { perMinute: 50 } });
  const startedAtMs = Date.now();
  const answers = await Promise.all(Array.from({ length: 200 }, () => post(endpoint, key, calculate("1"))));
  // A machine so slow that the calls take longer than a token needs to flow in is given that token too.
  const flowedIn = Math.floor(((Date.now() - startedAtMs) * 50) / 60_000);
  const admitted = answers.filter(({ status }) => status === 200).length;
  expect(admitted).toBeGreaterThanOrEqual(50);
  expect(admitted).toBeLessThanOrEqual(50 + flowedIn);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(200 - admitted);
});

test("gives each tool what its own limit says, and all together no more than the day has", async () => {
  const tools = { "calc*": { perMinute: 1, burst: 20 }, "*_time": { perMinute: 1, burst: 5 } };
  const { key, id } = await server.mintKey({ limits: { perMinute: 6_000, perDay: 22, tools } });
  const admitted = async (name: string, args: object, count: number): Promise<number> => {
    const call = () => post(endpoint, key, request("tools/call", { name, arguments: args }));
    const answers = await Promise.all(Array.from({ length: count }, call));
    return answers.filter(({ status }) => status === 200).length;
  };
  expect(await admitted("current_time", {}, 20)).toBe(5);
  expect(await admitted("calculate", { expression: "1" }, 40)).toBe(17);
  const { body } = await server.admin("GET", `/keys/${id}`);
  expect(body["usedToday"]).toBe(22);
});

test("limits the calls of a socket as it limits those over HTTP", async () => {
  const { key } = await server.mintKey({ limits: { perMinute: 1, burst: 10 } });
  const socket = await openSession(server.socketEndpoint(), { headers: { authorization: `Bearer ${key}` } });
  onTestFinished(() => socket.close());
  for (let id = 0; id < 12; id++) socket.send(calculate("1", id));
  const answers = await socket.until("12 answers", (all) => {
    const found = all.filter(({ id }) => typeof id === "number");
    return found.length === 12 ? found : undefined;
  });
  expect(answers.map(({ error }) => error?.code ?? "result").toSorted()).toEqual([
    429,
    429,
    ...Array.from({ length: 10 }, () => "result"),
  ]);
  expect(answers.map(({ id }) => Number(id)).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 12 }, (_, id) => id),
  );
});

test("lets no key pay for another", async () => {
  const [spent, fresh] = await Promise.all([1, 10].map((burst) => server.mintKey({ limits: { perMinute: 1, burst } })));
  if (!spent || !fresh) throw new Error("no keys");
  expect(await Promise.all([statuses(spent.key, 4), statuses(fresh.key, 10)])).toEqual([
    [200, 429, 429, 429],
    Array.from({ length: 10 }, () => 200),
  ]);
});

test("never crosses answers of clients that use the same ids", async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => server.mintKey({ limits: { perMinute: 6_000 } })));
  const clients = await Promise.all(
    keys.flatMap(({ key }) =>
      Array.from({ length: 3 }, async () => ({ key, session: await openHttpSession(endpoint, key) })),
    ),
  );
  const exchanges = clients.flatMap(({ key, session }, client) =>
    Array.from({ length: 10 }, (_, id) => ({ key, session, id, left: 1_000 * client, right: id })),
  );
  const answers = await Promise.all(
    exchanges.map(({ key, session, id, left, right }) =>
      post(endpoint, key, calculate(`${left} + ${right}`, id), session),
    ),
  );
  expect(answers.map(({ body }) => body)).toEqual(
    exchanges.map(({ id, left, right }) => calculated(id, `${left} + ${right}`, left + right)),
  );
});

async function statuses(key: string, count: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => post(endpoint, key, calculate("1"))));
  return answers.map(({ status }) => status).toSorted();
}

const result = (i: number) => ({ status: 200, body: calculated(`call-${i}`, `${i} + 1`, i + 1) });

/** A 429 under the call's own id, whose header and body name the same whole number of seconds. */
function refusal(i: number, { headers }: HttpAnswer) {
  const retryAfterSeconds = Number(headers.get("retry-after"));
  expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  expect(headers.get("ratelimit-policy")).toBe('"calls";q=10;w=60');
  expect(headers.get("ratelimit")).toBe(`"calls";r=0;t=${retryAfterSeconds}`);
  return {
    status: 429,
    body: {
      jsonrpc: "2.0",
      id: `call-${i}`,
      error: {
        code: 429,
        message: expect.stringContaining("Rate limit exceeded"),
        data: { retryAfterSeconds, limit: { perMinute: 10, burst: 10 }, scope: "key" },
      },
    },
  };
}
