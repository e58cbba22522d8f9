// "npm run deploy" against a wrangler that deploys nowhere, and a server that answers as the deployed one would: some of it as
// processes, the rest in this one.

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { runDeploy } from "../../src/cli/run-deploy.ts";
import { callThrough } from "../../src/cli/smoke-call.ts";
import type { FakeAccount } from "./fake-account.ts";
import { fakeWrangler, type FakeWrangler } from "./fake-wrangler.ts";
import { run, type Finished } from "./processes.ts";
import { makeFolder, NODE, scriptPath } from "./project-copy.ts";

const SECRETS = ["SIGNING_SECRET", "SECRETS_KEY", "ADMIN_KEY_HASH"];
const PRODUCTION = ["--env", "production"];
const LOGIN = ["whoami", "--json"];
const BUILD = ["deploy", "--dry-run", ...PRODUCTION];
const LIST = ["secret", "list", ...PRODUCTION];
const BULK = ["secret", "bulk", ...PRODUCTION];
const UPLOAD = ["deploy", ...PRODUCTION];

interface Site {
  url: string;
  asked: string[];
}

interface SiteOptions {
  health?: object;
  tools?: string[];
  /** What a call of a tool, and a request without a key, come to. */
  call?: object;
  withoutKey?: number;
}

/** Answers like a toolgate whose admin key has the hash that wrangler was given. */
async function serveSite(readHash: () => string | undefined, options: SiteOptions = {}): Promise<Site> {
  const { health = {}, tools = ["current_time", "tone"], call = { content: [] }, withoutKey = 401 } = options;
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const key = request.headers.authorization?.replace("Bearer ", "");
    const isAdmin = key !== undefined && createHash("sha256").update(key).digest("hex") === readHash();
    const body = (text === "" ? {} : JSON.parse(text)) as { method?: string; params?: { name?: string } };
    const { method = "", params } = body;
    asked.push(
      [request.method, request.url, method, params?.name, isAdmin ? "as admin" : (key ?? "as nobody")]
        .filter(Boolean)
        .join(" "),
    );
    const answers: [boolean, number, object][] = [
      [
        request.url === "/healthz",
        200,
        { status: "ok", deployment: { id: "v-1" }, ...(isAdmin && { objects: {} }), ...health },
      ],
      [request.url === "/admin/v1/keys", isAdmin ? 201 : 401, { id: "k1", key: "tg_k1_secret" }],
      [request.url === "/admin/v1/keys/k1", 200, { id: "k1" }],
      [key !== "tg_k1_secret", withoutKey, {}],
      [method === "tools/list", 200, { result: { tools: tools.map((name) => ({ name })) } }],
      [method === "tools/call", 200, { result: call }],
    ];
    const [, status, json] = answers.find(([applies]) => applies) ?? [true, 404, {}];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a TCP address");
  return { url: `http://127.0.0.1:${address.port}`, asked };
}

interface Stage {
  wrangler: FakeWrangler;
  site: Site;
  deploy: (args?: string[], env?: Record<string, string>) => Promise<Finished>;
  /** The same as processes: its own, and one for each command of wrangler. */
  startDeploy: () => Promise<Finished>;
  commands: () => string[][];
}

async function setStage(account: Partial<FakeAccount> = {}, options: SiteOptions = {}): Promise<Stage> {
  const folder = makeFolder();
  const wrangler = fakeWrangler(folder, { targets: [], ...account });
  const site = await serveSite(() => wrangler.values()["ADMIN_KEY_HASH"], options);
  // No target that wrangler names is on loopback.
  const url = account.targets === undefined ? ["--url", site.url] : [];
  const own = ["--wait-seconds", "0", ...url];
  const deploy: Stage["deploy"] = async (args = [], env = {}) => {
    const finished = { stdout: "", stderr: "" };
    const say = (line: string) => void (finished.stdout += `${line}\n`);
    const complain = (text: unknown) => void (finished.stderr += `${String(text)}\n`);
    const world = { wrangler: wrangler.runHere, say, smoke: callThrough };
    const code = await runDeploy([...own, ...args], env, world, complain);
    return { code, ...finished };
  };
  const startDeploy: Stage["startDeploy"] = () =>
    run(NODE, [scriptPath("deploy.ts"), ...own], folder, { PATH: wrangler.path });
  return { wrangler, site, deploy, startDeploy, commands: () => wrangler.calls().map(({ args }) => args) };
}

const adminKeyIn = ({ stdout }: Finished): string | undefined => /^Admin key {2}(\S+)$/m.exec(stdout)?.[1];

describe("from nothing", () => {
  it("checks, makes secrets, deploys and calls a tool, in this order", async () => {
    const { site, startDeploy, commands } = await setStage();
    const finished = await startDeploy();
    const adminKey = adminKeyIn(finished);
    expect(finished).toEqual({
      code: 0,
      stderr: "",
      stdout: [
        "Login      Ada",
        "Build      production: Total Upload: 1.00 KiB / gzip: 0.50 KiB",
        "Secrets    SIGNING_SECRET, SECRETS_KEY, ADMIN_KEY_HASH made and set",
        "           SIGNING_SECRET and SECRETS_KEY can't be read back: to rotate without ending keys, bring your own from a vault (docs/deploy.md)",
        `Admin key  ${adminKey}`,
        "           shown this once, and kept nowhere: put it where you keep such things",
        "Deployed   v-1",
        `Smoke call waiting for ${site.url} …`,
        "Smoke call 2 tools listed, current_time answered",
        "",
        `toolgate runs at ${site.url}`,
        "",
        "Mint a key for your first client:",
        `  TOOLGATE_URL=${site.url} TOOLGATE_ADMIN_KEY=<the admin key> npm run toolgate -- keys create --name "first client"`,
        `How each client connects:  ${site.url}/`,
        "",
      ].join("\n"),
    });
    expect(commands()).toEqual([LOGIN, BUILD, LIST, BULK, UPLOAD]);
    expect(site.asked).toEqual([
      "GET /healthz as admin",
      "POST /mcp ping as nobody",
      "POST /admin/v1/keys as admin",
      "POST /mcp tools/list tg_k1_secret",
      "POST /mcp tools/call current_time tg_k1_secret",
      "DELETE /admin/v1/keys/k1 as admin",
    ]);
  });

  it("hands secrets over on stdin alone, and of the admin key only the hash", async () => {
    const { wrangler, startDeploy } = await setStage();
    const finished = await startDeploy();
    const values = wrangler.values();
    const adminKey = adminKeyIn(finished) ?? "";
    expect(Object.keys(values)).toEqual(SECRETS);
    expect(values["ADMIN_KEY_HASH"]).toBe(createHash("sha256").update(adminKey).digest("hex"));
    expect(adminKey).toMatch(/^tga_[\w-]{43}$/);
    expect([values["SIGNING_SECRET"], values["SECRETS_KEY"]]).toEqual([
      expect.stringMatching(/^[\w-]{43}$/),
      expect.stringMatching(/^[\w-]{43}$/),
    ]);
    const lines = wrangler.calls().map(({ args }) => args.join(" "));
    const told = [...lines, finished.stdout.replace(adminKey, "")].join("\n");
    expect([...Object.values(values), adminKey].filter((secret) => told.includes(secret))).toEqual([]);
    expect(wrangler.calls().filter(({ stdin }) => stdin !== "")).toHaveLength(1);
  });

  it("takes the admin key that it is given, and shows none", async () => {
    const { wrangler, deploy } = await setStage();
    const finished = await deploy([], { TOOLGATE_ADMIN_KEY: "an-admin-key-of-my-own" });
    expect([finished.code, adminKeyIn(finished), finished.stdout.includes("an-admin-key-of-my-own")]).toEqual([
      0,
      undefined,
      false,
    ]);
    expect(wrangler.values()["ADMIN_KEY_HASH"]).toBe(
      createHash("sha256").update("an-admin-key-of-my-own").digest("hex"),
    );
  });
});

it("takes SIGNING_SECRET and SECRETS_KEY from the environment at the first deploy, tells neither, and keeps them", async () => {
  const { wrangler, deploy } = await setStage();
  const own = { SIGNING_SECRET: "s".repeat(32), SECRETS_KEY: "k".repeat(32) };
  const { code, stdout } = await deploy([], own);
  expect([code, wrangler.values()]).toEqual([0, { ...own, ADMIN_KEY_HASH: expect.any(String) }]);
  expect(stdout).toMatch(
    /^Secrets {4}ADMIN_KEY_HASH made and set\nSecrets {4}SIGNING_SECRET, SECRETS_KEY set as the environment has them\nAdmin key/m,
  );
  expect(Object.values(own).filter((secret) => stdout.includes(secret))).toEqual([]);
  await deploy([], { SIGNING_SECRET: "t".repeat(32) });
  expect(wrangler.values()).toMatchObject(own);
});

describe("the second time", () => {
  it("leaves secrets as they are and deploys", async () => {
    const { wrangler, deploy, commands } = await setStage();
    await deploy();
    const before = wrangler.values();
    const finished = await deploy();
    expect([finished.code, adminKeyIn(finished), wrangler.values()]).toEqual([0, undefined, before]);
    expect(finished.stdout).toContain("Secrets    all set, left as they are\n");
    expect(finished.stdout).toContain("Smoke call healthy, and shut to whoever has no key");
    expect(commands().slice(5)).toEqual([LOGIN, BUILD, LIST, UPLOAD]);
  });

  it("makes only what is missing", async () => {
    const { wrangler, deploy } = await setStage({ secrets: ["SIGNING_SECRET", "ADMIN_KEY_HASH", "OTHER"] });
    expect((await deploy()).stdout).toMatch(
      /^Secrets {4}SECRETS_KEY made and set\n {11}SECRETS_KEY can't be read back: /m,
    );
    expect(Object.keys(wrangler.values())).toEqual(["SECRETS_KEY"]);
  });

  it("puts another admin key on demand", async () => {
    const { wrangler, deploy } = await setStage();
    const first = adminKeyIn(await deploy());
    const second = adminKeyIn(await deploy(["--new-admin-key"]));
    expect([first === second, second]).toEqual([false, expect.stringMatching(/^tga_/)]);
    expect(wrangler.values()["ADMIN_KEY_HASH"]).toBe(createHash("sha256").update(String(second)).digest("hex"));
  });
});

it("deploys another environment by its name", async () => {
  const { deploy, commands } = await setStage();
  expect((await deploy(["--env", "staging"])).stdout).toContain(" (staging)\n");
  expect(
    commands()
      .slice(1)
      .map((args) => args[args.indexOf("--env") + 1]),
  ).toEqual(Array(4).fill("staging"));
});

it("asks Cloudflare for nothing in a dry run", async () => {
  const { deploy, commands, site } = await setStage({ loggedIn: false });
  expect(await deploy(["--dry-run"])).toEqual({
    code: 0,
    stderr: "",
    stdout:
      "Build      production: Total Upload: 1.00 KiB / gzip: 0.50 KiB\nDry run    nothing was asked of Cloudflare, nothing was changed\n",
  });
  expect([commands(), site.asked]).toEqual([[BUILD], []]);
});

describe("when a step fails", () => {
  it.each([
    ["whoami", /^error: Not logged in to Cloudflare; nothing was changed\.\nRun: {2}npx wrangler login\n/, [LOGIN]],
    ["deploy --dry-run", /^error: It does not build for production; nothing was changed\.\n/, [LOGIN, BUILD]],
    ["secret list", /^error: The secrets that are set can't be listed; nothing was changed\./, [LOGIN, BUILD, LIST]],
    [
      "secret bulk",
      /^error: The secrets can't be set; no code was deployed\.\nRun it again: {2}npm run deploy -- --env production\n.*--new-admin-key once/,
      [LOGIN, BUILD, LIST, BULK],
    ],
    [
      "deploy production",
      /^error: It could not be deployed\. What was live before still is/,
      [LOGIN, BUILD, LIST, BULK, UPLOAD],
    ],
  ])("%s: it says what to do and goes no further", async (command, message, expected) => {
    const stage = await setStage();
    stage.wrangler.change({ failing: { [command]: "what wrangler says <stdin>" } });
    const { code, stdout, stderr } = await stage.deploy();
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(stderr).toContain("wrangler said:\nwhat wrangler says");
    expect([stage.commands(), stage.site.asked]).toEqual([expected, []]);
    const secrets = stage.wrangler
      .calls()
      .flatMap(({ stdin }) => (stdin === "" ? [] : Object.values(JSON.parse(stdin))));
    expect(secrets.filter((secret) => (stdout + stderr).includes(String(secret)))).toEqual([]);
  });

  it("has shown the admin key before the upload fails, and goes on from there", async () => {
    const stage = await setStage();
    stage.wrangler.change({ failing: { "deploy production": "full" } });
    const failed = await stage.deploy();
    const values = stage.wrangler.values();
    expect(adminKeyIn(failed)).toMatch(/^tga_/);
    stage.wrangler.change({ failing: {} });
    const { code } = await stage.deploy([], { TOOLGATE_ADMIN_KEY: String(adminKeyIn(failed)) });
    expect([code, stage.wrangler.values()]).toEqual([0, values]);
  });

  it("asks which account", async () => {
    const accounts = [
      { id: "a1", name: "Ada" },
      { id: "b2", name: "Bob" },
    ];
    const { deploy, commands } = await setStage({ accounts });
    expect(await deploy()).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "error: This login has several accounts; nothing was changed.\nSet CLOUDFLARE_ACCOUNT_ID to one of them:\n  a1  Ada\n  b2  Bob\n",
    });
    expect(commands()).toEqual([LOGIN]);
    expect((await deploy([], { CLOUDFLARE_ACCOUNT_ID: "b2" })).code).toBe(0);
  });

  it("ends a process with exit code 1, what wrangler said, and no secret", async () => {
    const { wrangler, startDeploy } = await setStage();
    wrangler.change({ failing: { "secret bulk": "what wrangler says <stdin>" } });
    const { code, stderr } = await startDeploy();
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: The secrets can't be set.*wrangler said:\nwhat wrangler says/s),
    ]);
    const secrets = wrangler.calls().flatMap(({ stdin }) => (stdin === "" ? [] : Object.values(JSON.parse(stdin))));
    expect(secrets.filter((secret) => stderr.includes(String(secret)))).toEqual([]);
  });

  it("says that no URL leads there", async () => {
    const { deploy } = await setStage({ targets: ["*.example.com/mcp*"] });
    expect(await deploy()).toMatchObject({ code: 1, stderr: expect.stringMatching(/named no URL.*--url\.\n$/s) });
  });

  it.each<[string, SiteOptions, RegExp]>([
    [
      "is not well",
      { health: { status: "degraded", objects: { registry: [{ name: "registry", state: "unreachable" }] } } },
      /received status 200, "degraded", out of reach: registry\./,
    ],
    ["is the earlier version", { health: { deployment: { id: "v-0" } } }, /an answer of the earlier version v-0\./],
    ["lets anybody in", { withoutKey: 200 }, /POST \/mcp without a key: expected status 401, received 200\./],
    ["has a tool that fails", { call: { isError: true } }, /tools\/call: current_time said that it failed\./],
  ])("tells how to go back where the server %s", async (_, options, message) => {
    const { deploy } = await setStage({}, options);
    const { code, stderr } = await deploy();
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(stderr).toContain("Go back to the last:  npx wrangler rollback --env production\n");
  });

  it("says that the admin key is not the deployment's", async () => {
    const { deploy } = await setStage({ secrets: SECRETS });
    const { stderr } = await deploy([], { TOOLGATE_ADMIN_KEY: "somebody-elses-admin-key" });
    expect(stderr).toContain("received nothing of its objects: the admin key is another.");
    expect(stderr).not.toContain("somebody-elses-admin-key");
  });

  it("says that there is no wrangler", async () => {
    const folder = makeFolder();
    const finished = await run(NODE, [scriptPath("deploy.ts")], folder, { PATH: "/nowhere" });
    expect(finished).toEqual({
      code: 1,
      stdout: "",
      stderr: 'error: wrangler is not on PATH. Start this with "npm run deploy", after "npm ci".\n',
    });
  });
});

describe("the command line", () => {
  it.each([
    [["--env", "prod"], '--env: expected production or staging, received "prod".'],
    [["--url", "tools"], '--url: expected a URL such as https://tools.example.com, received "tools".'],
    [["--wait-seconds", "soon"], '--wait-seconds: expected a whole number up to 9999, received "soon".'],
    [["--force"], "deploy: Unknown option '--force'.\nSee --help."],
    [["--dryrun"], "deploy: Unknown option '--dryrun'. Did you mean --dry-run?\nSee --help."],
  ])("%j is refused", async (args, message) => {
    const { deploy, commands } = await setStage();
    expect(await deploy(args)).toEqual({ code: 2, stdout: "", stderr: `error: ${message}\n` });
    expect(commands()).toEqual([]);
  });

  it.each([
    ["TOOLGATE_ADMIN_KEY", "short", "16 visible ASCII characters, received 5"],
    ["SIGNING_SECRET", "x".repeat(31), "32 visible ASCII characters, received 31"],
    ["SECRETS_KEY", "x y".repeat(11), "32 visible ASCII characters, received 33, others among them"],
  ])("refuses a weak or misread %s without repeating it", async (name, value, expected) => {
    const { deploy, commands } = await setStage();
    const stderr = `error: ${name}: expected at least ${expected}.\n`;
    expect([await deploy([], { [name]: value }), commands()]).toEqual([{ code: 2, stdout: "", stderr }, []]);
  });
});
