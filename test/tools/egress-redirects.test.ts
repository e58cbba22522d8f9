import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { ToolError } from "../../src/tools/tool-error.ts";
import { OURS, reach, redirect, refusal, say } from "../support/egress-world.ts";

describe("redirects", () => {
  test("are followed up to the limit, and relative ones resolve", async () => {
    const hops = Array.from({ length: LIMITS.fetchRedirects }, (_, hop) => redirect(`/${hop + 1}`, 307));
    const { sent, response } = reach("https://example.com/0", {}, [...hops, say("end")]);
    expect((await response).url).toBe(`https://example.com/${LIMITS.fetchRedirects}`);
    expect(sent).toHaveLength(LIMITS.fetchRedirects + 1);
  });

  test("end beyond the limit", async () => {
    const hops = Array.from({ length: LIMITS.fetchRedirects + 1 }, () => redirect("/again"));
    await expect(reach("https://example.com/", {}, hops).response).rejects.toThrow(
      new ToolError("Too many redirects: the limit is 5."),
    );
  });

  const secret = {
    authorization: "Bearer s3cret",
    cookie: "a=b",
    "x-api-key": "s3cret",
    accept: "text/html",
    "accept-language": "fr",
  };

  test("keep the caller's headers on the same origin", async () => {
    const { sent, response } = reach("https://example.com/", { headers: secret }, [redirect("/b"), say("")]);
    await response;
    expect(sent[1]).toEqual({
      url: "https://example.com/b",
      method: "GET",
      headers: { ...secret, ...OURS },
    });
  });

  test.each([
    ["another host", "https://other.example/"],
    ["another port", "https://example.com:9443/"],
    ["a sub-domain", "https://www.example.com/"],
  ])("carry no credentials to %s, nor back", async (_, target) => {
    const answers = [redirect(target), redirect("https://example.com/back"), say("")];
    const options = { allow: "example.com:9443" };
    const { sent, response } = reach("https://example.com/", { headers: secret }, answers, options);
    await response;
    const headers = { accept: "text/html", "accept-language": "fr", ...OURS };
    expect(sent.slice(1)).toEqual([
      { url: target, method: "GET", headers },
      { url: "https://example.com/back", method: "GET", headers },
    ]);
  });

  const post = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  const posted = { method: "POST", headers: { ...post.headers, ...OURS }, body: "{}" };
  const got = { method: "GET", headers: { ...OURS } };

  test.each([
    [301, got],
    [302, got],
    [303, got],
    [307, posted],
    [308, posted],
  ])("%i after a POST on the same origin", async (status, second) => {
    const { sent, response } = reach("https://example.com/", post, [redirect("/b", status), say("")]);
    await response;
    expect(sent).toEqual([
      { url: "https://example.com/", ...posted },
      { url: "https://example.com/b", ...second },
    ]);
  });

  test("never carry a body to another origin", async () => {
    const { sent, response } = reach("https://example.com/", post, [redirect("https://other.example/", 307)]);
    await expect(response).rejects.toThrow(
      new ToolError("The destination redirects a request with a body to another origin."),
    );
    expect(sent).toHaveLength(1);
  });

  test("a PUT stays a PUT after 302 and a HEAD a HEAD after 303", async () => {
    const put = reach("https://example.com/", { method: "put", body: "x" }, [redirect("/b"), say("")]);
    await put.response;
    const head = reach("https://example.com/", { method: "HEAD" }, [redirect("/b", 303), () => new Response(null)]);
    await head.response;
    expect([put.sent[1]?.method, head.sent[1]?.method]).toEqual(["PUT", "HEAD"]);
  });

  test("without a location are the answer", async () => {
    const { response } = reach("https://example.com/", {}, [() => new Response("odd", { status: 302 })]);
    expect((await response).status).toBe(302);
  });

  test("to something that is no URL are an error", async () => {
    await expect(reach("https://example.com/", {}, [redirect("https://")]).response).rejects.toThrow(
      new ToolError("The destination redirects to a URL that is not valid."),
    );
  });
});

describe("hosts", () => {
  const hosts = ["example.com", "127.0.0.1:9001"];
  const NOT_ITS_HOST = "it is not a host of this tool";

  test.each(["https://example.com/", "https://EXAMPLE.com:443/", "http://127.0.0.1:9001/"])("reach %s", async (url) => {
    const { response } = reach(url, { hosts }, [say("")], { allow: "127.0.0.1:9001" });
    expect((await response).status).toBe(200);
  });

  test.each(["https://www.example.com/", "https://example.com./", "https://example.org/", "http://127.0.0.1:9002/"])(
    "refuse %s",
    async (url) => {
      const options = { allow: "127.0.0.1:9001 127.0.0.1:9002" };
      const { sent, response } = reach(url, { hosts }, [], options);
      await expect(response).rejects.toThrow(refusal(NOT_ITS_HOST));
      expect(sent).toEqual([]);
    },
  );

  test("hold for redirects", async () => {
    const { sent, response } = reach("https://example.com/", { hosts }, [redirect("https://example.org/")]);
    await expect(response).rejects.toThrow(refusal(`redirect 1: ${NOT_ITS_HOST}`));
    expect(sent).toHaveLength(1);
  });

  test("open nothing that is closed", async () => {
    const { sent, response } = reach("https://10.0.0.1/", { hosts: ["10.0.0.1"] });
    await expect(response).rejects.toThrow(
      refusal("the host must be a public name, not an IP address or a single word"),
    );
    expect(sent).toEqual([]);
  });
});

test("a request says how many servers of this kind it has come through", async () => {
  const { sent, response } = reach("https://example.com/", {}, [say("")], { hops: 3 });
  await response;
  expect(sent[0]?.headers).toEqual({ ...OURS, "toolgate-hops": "4" });
});
