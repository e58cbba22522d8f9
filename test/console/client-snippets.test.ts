import { expect, test } from "vitest";
import { clientGuides } from "../../src/console/views/keys/client-snippets.ts";

const ORIGIN = "https://tools.example";
const KEY = "tg_abc_def";

test.each([
  { kind: "a key in a header", isUrlKey: false, url: /^https:\/\/tools\.example\/mcp$/ },
  { kind: "a key in the URL", isUrlKey: true, url: /^https:\/\/tools\.example\/k\/(tg_abc_def|\$\{.+\})\/mcp$/ },
])("each client is given this server's URL and $kind, or asks for it", ({ isUrlKey, url }) => {
  const guides = clientGuides({ origin: ORIGIN, key: KEY, isUrlKey });
  const steps = guides.flatMap(({ client, steps }) => steps.map((step) => ({ client, ...step })));
  const found = steps.map(({ client, text, isJson }) => {
    const all = isJson ? JSON.stringify(JSON.parse(text)) : text;
    const urls = all.match(/https:[^\s"']+/g) ?? [];
    const bearer = /[Bb]earer ([^"']+)|"authorization":"([^"]+)"/.exec(all);
    return { client, urls, bearer: bearer?.[1] ?? bearer?.[2] };
  });
  const key = isUrlKey
    ? undefined
    : expect.stringMatching(/^(tg_abc_def|\$\{TOOLGATE_KEY\}|\$\{input:toolgate-key\})$/);
  expect(found).toEqual(
    ["Claude Code", "Claude Code", "Cursor", "VS Code", "ChatGPT", "curl"].map((client) => ({
      client,
      urls: [expect.stringMatching(url)],
      bearer: key,
    })),
  );
});
