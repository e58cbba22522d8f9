import { describe, expect, test, vi } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { createEgress, DestinationUnreachable, judgeDestination } from "../../src/tools/egress.ts";
import { ToolError } from "../../src/tools/tool-error.ts";
import { reach, redirect, refusal, say, world, type Answer } from "../support/egress-world.ts";

/** A body of so many bytes in chunks of 64 KiB without a declared length, and how it went. */
function stream(length: number) {
  const state = { pulled: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const size = Math.min(65_536, length - state.pulled);
        if (size === 0) return controller.close();
        state.pulled += size;
        controller.enqueue(new Uint8Array(size).fill(7));
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { state, answer: (headers: HeadersInit = {}) => new Response(body, { headers }) };
}

const untilAborted: Answer = (signal) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });

const urlOf = (chars: number): string => "https://example.com/".padEnd(chars, "a");
const headersOf = (bytes: number) => ({ headers: { x: "a".repeat(bytes - 1) } });

const SCHEME = "the scheme must be https";
const NOT_PUBLIC = "the host must be a public name, not an IP address or a single word";
const LOCAL = "the host is a local or private name";
const USERINFO = "the URL holds a user name or password";
const OWN = "it is this server itself";

const refusedFor = (reason: string, urls: string): [string, string][] => urls.split(" ").map((url) => [url, reason]);

const REFUSED = [
  ...refusedFor(
    SCHEME,
    "http://169.254.169.254/ file:///etc/passwd ftp://example.com/ data:text/plain,x " +
      "blob:https://example.com/1 http://example.com/",
  ),
  ...refusedFor(
    NOT_PUBLIC,
    "https://169.254.169.254/latest/meta-data/ https://[::ffff:169.254.169.254]/ https://[::1]/ " +
      "https://[fd00:ec2::254]/ https://0x7f.1/ https://0x7f000001/ https://0177.0.0.01/ " +
      "https://2130706433/ https://127.1/ https://127.0.0.1./ https://0/ https://8.8.8.8/ " +
      "https://127。0。0。1/ https://①②⑦.0.0.1/ https://%31%32%37.0.0.1/ https://localhost/ " +
      "https://localhost./ https://LOCALHOST../ https://intranet/ https://a..example.com/",
  ),
  ...refusedFor(
    LOCAL,
    "https://api.localhost/ https://api.localhost./ https://localhost.localdomain/ " +
      "https://metadata.google.internal/ https://Metadata.Google.Internal./ " +
      "https://metadata.google.ⓘnternal/ https://printer.local/ https://nas.lan/ " +
      "https://router.home.arpa/ https://service.test/ https://nothing.invalid/",
  ),
  ...refusedFor(USERINFO, "http://u:p@10.0.0.1/ https://u:p@example.com/ https://u@example.com/"),
  ...refusedFor(
    "the port must be 443",
    "https://example.com:8443/ https://example.com:22/ https://tools.ours.dev:8443/mcp",
  ),
  ...refusedFor(OWN, "https://tools.ours.dev/mcp https://TOOLS.ours.dev./mcp http://tools.ours.dev/mcp"),
];

describe("destinations", () => {
  test.each(REFUSED)("%s is refused and nothing is sent", async (url, reason) => {
    const { sent, response } = reach(url);
    await expect(response).rejects.toThrow(refusal(reason));
    expect(sent).toEqual([]);
  });

  // A header can't hold the others.
  const ascii = REFUSED.filter(([url]) => /^[\x21-\x7e]+$/.test(url));

  test.each(ascii)("a redirect to %s is refused after one request", async (url, reason) => {
    const { sent, response } = reach("https://ok.example/", {}, [redirect(url)]);
    await expect(response).rejects.toThrow(refusal(`redirect 1: ${reason}`));
    expect(sent.map(({ url }) => url)).toEqual(["https://ok.example/"]);
  });

  test.each(["", "example.com", "/etc/passwd", "https://", "https://1.2.3.4.5/", "https://exa mple.com/"])(
    "%j is not a URL",
    async (url) => {
      const { sent, response } = reach(url);
      await expect(response).rejects.toThrow(refusal("the URL is not valid"));
      expect(sent).toEqual([]);
    },
  );

  test("a URL is bounded", async () => {
    expect((await reach(urlOf(LIMITS.fetchUrlChars), {}, [say("")]).response).status).toBe(200);
    await expect(reach(urlOf(LIMITS.fetchUrlChars + 1)).response).rejects.toThrow(
      refusal("the URL is longer than 8192 characters"),
    );
  });

  test.each([
    ["https://example.com", "https://example.com/"],
    ["https://EXAMPLE.com:443/a?b#c", "https://example.com/a?b#c"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["https://my_bucket.s3.example.com/", "https://my_bucket.s3.example.com/"],
    ["https://localhost.example.com/", "https://localhost.example.com/"],
    ["https://notlocal.example/", "https://notlocal.example/"],
  ])("%s is reached", async (url, reached) => {
    const { response } = reach(url, {}, [say("hello")]);
    const { url: final, status, bytes } = await response;
    expect({ final, status, text: new TextDecoder().decode(bytes) }).toEqual({
      final: reached,
      status: 200,
      text: "hello",
    });
  });
});

describe("the allow list", () => {
  const allow = "127.0.0.1:9001, LOCALHOST:9002\n[::1]:9003,db.internal:443 tools.ours.dev:443";

  test.each([
    ["http://127.0.0.1:9001/x"],
    ["https://127.0.0.1:9001/x"],
    ["http://0x7f.1:9001/x"],
    ["http://localhost.:9002/x"],
    ["http://[::1]:9003/x"],
    ["https://db.internal/x"],
  ])("opens %s", async (url) => {
    const { response } = reach(url, {}, [say("ok")], { allow });
    expect((await response).status).toBe(200);
  });

  test.each([
    ["http://127.0.0.1:9002/", SCHEME],
    ["https://127.0.0.1/", NOT_PUBLIC],
    ["http://localhost:9001/", SCHEME],
    ["http://db.internal/", SCHEME],
    ["https://api.db.internal/", LOCAL],
    ["http://u:p@127.0.0.1:9001/", USERINFO],
    ["https://tools.ours.dev/", OWN],
    ["http://tools.ours.dev/", OWN],
  ])("opens nothing else: %s", async (url, reason) => {
    const { sent, response } = reach(url, {}, [say("no")], { allow });
    await expect(response).rejects.toThrow(refusal(reason));
    expect(sent).toEqual([]);
  });

  test("an own host without a port does not close what was opened by name and port", async () => {
    const hop = reach("http://127.0.0.1:9001/", {}, [say("")], { allow: "127.0.0.1:9001", ownHosts: ["127.0.0.1"] });
    expect((await hop.response).status).toBe(200);
  });

  test("an own host with a port stands for that port only", async () => {
    const options = { allow: "127.0.0.1:9001 127.0.0.1:8787", ownHosts: ["127.0.0.1:8787"] };
    await expect(reach("http://127.0.0.1:8787/", {}, [], options).response).rejects.toThrow(refusal(OWN));
    expect((await reach("http://127.0.0.1:9001/", {}, [say("")], options).response).status).toBe(200);
  });

  test.each(["localhost", "http://localhost:1", "localhost:port", "a@b:1"])("entry %j is refused", (allow) => {
    expect(() => createEgress({ allow, ownHosts: [] })).toThrow(
      `EGRESS_ALLOW: expected host:port, got ${JSON.stringify(allow)}`,
    );
  });
});

const opens = (host: string): string =>
  `; EGRESS_ALLOW=${host} opens this host: a line in .dev.vars or the environment of npm start, then a new start; a deployment has no route to it`;

describe("a refusal", () => {
  const RULE = "Destination not allowed: the scheme must be https. Allowed: ";

  test("tells the log which host of the tool's record it was and what opens it, and the caller the rule alone", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const url = "http://10.1.2.3:8080/secret/path?q=1";
    const refused = await reach(url, { hosts: ["10.1.2.3:8080"] }, []).response.then(() => "reached", String);
    expect([refused.slice(11, 11 + RULE.length), refused.includes("10.1.2.3")]).toEqual([RULE, false]);
    expect(warn.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown)).toEqual([
      { level: "warn", event: "egress_refused", host: "10.1.2.3:8080", reason: SCHEME + opens("10.1.2.3:8080") },
    ]);
    warn.mockRestore();
  });

  test.each([
    ["a URL that a caller gave", "http://10.1.2.3:8080/", undefined],
    ["a host that is not the record's", "http://10.1.2.3:8080/", ["api.example.com"]],
  ])("of %s is not logged", async (_, url, hosts) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await expect(reach(url, hosts ? { hosts } : {}, []).response).rejects.toThrow(RULE);
    expect(warn.mock.calls).toEqual([]);
    warn.mockRestore();
  });
});

describe("judging an operator's URL", () => {
  const judge = judgeDestination({ allow: "127.0.0.1:9001", ownHosts: ["127.0.0.1:8787", "localhost:8787"] });

  test.each([
    ["http://127.0.0.1:8991/x", SCHEME + opens("127.0.0.1:8991")],
    ["http://127.0.0.1/x", SCHEME + opens("127.0.0.1:80")],
    ["https://0x7f.1:8995/x", `the port must be 443${opens("127.0.0.1:8995")}`],
    ["https://localhost./x", NOT_PUBLIC + opens("localhost:443")],
    ["http://[::1]:8991/", SCHEME + opens("[::1]:8991")],
    ["https://api.localhost/", LOCAL + opens("api.localhost:443")],
    ["http://127.0.0.1:8787/mcp", OWN],
    ["http://localhost:8787/mcp", OWN],
    ["http://127.0.0.1:9001/", undefined],
    ["http://u:p@127.0.0.1:8991/", USERINFO],
    ["ftp://127.0.0.1/", SCHEME],
    ["http://10.0.0.1:8991/", SCHEME + opens("10.0.0.1:8991")],
    ["http://192.168.0.9/", SCHEME + opens("192.168.0.9:80")],
    ["http://172.31.0.1/", SCHEME + opens("172.31.0.1:80")],
    ["http://172.32.0.1/", SCHEME],
    ["http://api:3000/", SCHEME + opens("api:3000")],
    ["https://printer.lan/", LOCAL + opens("printer.lan:443")],
    ["http://169.254.169.254/", SCHEME],
    ["http://metadata/", SCHEME],
    ["https://metadata.google.internal/", LOCAL],
    ["https://[fd00::1]/", NOT_PUBLIC],
    ["https://example.com:8443/", "the port must be 443"],
    ["http://example.com/", SCHEME],
    ["https://127.0.0.1.example.com/", undefined],
  ])("%s: %s", (url, refusal) => {
    expect(judge(new URL(url))).toBe(refusal);
  });

  // A pattern that looks for the end from each dot takes hours for these.
  test.each([
    ["within a host", `a${".".repeat(1_000_000)}b:443`],
    ["at its end", `a${".".repeat(1_000_000)}:443`],
  ])("a million dots %s take as many steps", (_, allow) => {
    expect(judgeDestination({ allow, ownHosts: [allow] })(new URL("https://a/"))).toBe(
      allow.endsWith(".:443") ? OWN : NOT_PUBLIC + opens("a:443"),
    );
  });

  test("nothing of that is told to who makes a request", async () => {
    await expect(reach("http://127.0.0.1:8991/").response).rejects.toThrow(refusal(SCHEME));
  });
});

describe("request headers", () => {
  test.each([
    ["x-name", "a\r\nX-Admin: 1", "the value of x-name must be printable ASCII on one line"],
    ["x-name", "a\nb", "the value of x-name must be printable ASCII on one line"],
    ["x-name", "a\0", "the value of x-name must be printable ASCII on one line"],
    ["x-name", "é", "the value of x-name must be printable ASCII on one line"],
    ["x-name", "日本", "the value of x-name must be printable ASCII on one line"],
    ["a\r\nx", "1", "its name holds illegal characters"],
    ["", "1", "its name holds illegal characters"],
    ["Host", "tools.ours.dev", "Host can't be set"],
    ["Transfer-Encoding", "chunked", "Transfer-Encoding can't be set"],
    ["CF-Connecting-IP", "127.0.0.1", "CF-Connecting-IP can't be set"],
    ["X-Forwarded-For", "127.0.0.1", "X-Forwarded-For can't be set"],
    ["Toolgate-Hops", "0", "Toolgate-Hops can't be set"],
  ])("%j: %j is refused before anything is sent", async (name, value, reason) => {
    const { sent, response } = reach("https://example.com/", { headers: { [name]: value } });
    await expect(response).rejects.toThrow(new ToolError(`Request header refused: ${reason}.`));
    expect(sent).toEqual([]);
  });

  test("fit up to the limit", async () => {
    const { sent, response } = reach("https://example.com/", headersOf(LIMITS.fetchHeaderBytes), [say("")]);
    await response;
    expect(sent[0]?.headers["x"]).toHaveLength(LIMITS.fetchHeaderBytes - 1);
  });

  test("are refused beyond it", async () => {
    const { sent, response } = reach("https://example.com/", headersOf(LIMITS.fetchHeaderBytes + 1));
    await expect(response).rejects.toThrow(
      new ToolError("Request headers too large: 8193 bytes, the limit is 8192 bytes."),
    );
    expect(sent).toEqual([]);
  });
});

describe("the response", () => {
  const TOO_LARGE = new ToolError("The response is too large: the limit is 1048576 bytes.");

  test.each([0, 1, LIMITS.fetchBytes - 1, LIMITS.fetchBytes])("of %i bytes is read whole", async (length) => {
    const { answer } = stream(length);
    const { bytes } = await reach("https://example.com/", {}, [() => answer()]).response;
    expect({ length: bytes.byteLength, same: bytes.every((byte) => byte === 7) }).toEqual({ length, same: true });
  });

  test("beyond the limit is cancelled where the limit is passed", async () => {
    const { state, answer } = stream(100 * LIMITS.fetchBytes);
    await expect(reach("https://example.com/", {}, [() => answer()]).response).rejects.toThrow(TOO_LARGE);
    expect(state).toEqual({ pulled: LIMITS.fetchBytes + 65_536, cancelled: true });
  });

  test("that declares too much is not read at all", async () => {
    const { state, answer } = stream(10);
    const declared = { "content-length": String(LIMITS.fetchBytes + 1) };
    await expect(reach("https://example.com/", {}, [() => answer(declared)]).response).rejects.toThrow(TOO_LARGE);
    expect(state).toEqual({ pulled: 0, cancelled: true });
  });

  test("without a body has no bytes, whatever length it declares", async () => {
    const headers = { "content-length": "99999999" };
    const answer = () => new Response(null, { headers });
    const { bytes } = await reach("https://example.com/", { method: "HEAD" }, [answer]).response;
    expect(bytes.byteLength).toBe(0);
  });

  test("with an error status is handed on", async () => {
    const { status, headers } = await reach("https://example.com/", {}, [
      () => new Response("gone", { status: 410, headers: { "x-why": "old" } }),
    ]).response;
    expect({ status, why: headers.get("x-why") }).toEqual({ status: 410, why: "old" });
  });
});

describe("failures", () => {
  test("of the network don't tell what the network said", async () => {
    const { response } = reach("https://example.com/", {}, [
      () => Promise.reject(new Error("connect ECONNREFUSED 10.1.2.3:443")),
    ]);
    await expect(response).rejects.toThrow(new DestinationUnreachable("The destination could not be reached."));
  });

  test("a caller's own time limit counts instead", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort(new Error("timed out")));
    const late = new ToolError("The destination did not answer within 60000 ms.");
    const { response } = reach("https://example.com/", { timeoutMs: 60_000 }, [untilAborted]);
    await expect(response).rejects.toThrow(late);
    expect(timeout.mock.calls).toEqual([[60_000]]);
    timeout.mockRestore();
  });

  test("a slow destination ends at the time limit", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort(new Error("timed out")));
    const late = new ToolError("The destination did not answer within 10000 ms.");
    await expect(reach("https://example.com/", {}, [untilAborted]).response).rejects.toThrow(late);
    expect(timeout.mock.calls).toEqual([[LIMITS.fetchTimeoutMs]]);
    timeout.mockRestore();
  });

  test("the call's own signal ends the request with its reason", async () => {
    const call = new AbortController();
    const { fetcher } = world((signal) => {
      call.abort(new Error("client left"));
      return untilAborted(signal);
    });
    const response = createEgress({ allow: "", ownHosts: [], fetcher })("https://example.com/", {}, call.signal);
    await expect(response).rejects.toThrow(new Error("client left"));
  });
});
