import { globSync, readFileSync } from "node:fs";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { configDefaults, defineConfig } from "vitest/config";
import { findBrowser, NO_BROWSER } from "./test/console/support/find-browser.ts";

const BROWSER_TESTS = "test/console/browser/*.test.ts";
const hasBrowser = findBrowser() !== undefined;
if (!hasBrowser) console.warn(`\n${BROWSER_TESTS} are left out: ${NO_BROWSER}\n`);

// What starts browsers, all of `npm start` or other people's programs, and what kills servers: `npm run test:long`.
const LONG_TESTS = [
  ...(hasBrowser ? [BROWSER_TESTS] : []),
  "test/cli/{deploy,start,start-refusals}.test.ts",
  "test/docs/commands.test.ts",
  "test/journeys/{audit,changes,faults,idempotency,inspector,mcp-remote,restart,running-calls,secrecy,sleeping-hub}.test.ts",
  "test/matrix/nasty-tools.test.ts",
];

// Other tests that start processes, open sockets or read files, in Node; all others run inside workerd.
const NODE_TESTS = [
  "test/{journeys,cli,matrix,fuzz,docs}/**/*.test.ts",
  "test/console/*.test.ts",
  "test/openapi/public-documents.test.ts",
  "test/tidy.test.ts",
];

// What these leave behind when they evict objects, run their alarms, reach into them or go through the Worker's own
// entry (sockets, work of other requests, that entry's caches) ends with their runtime.
const needsOwnRuntime = (path: string): boolean =>
  /evictDurableObject|runDurableObjectAlarm|runInDurableObject|from "cloudflare:workers"|support\/test-socket\.ts/.test(
    readFileSync(path, "utf8"),
  );
const OBJECT_TESTS = globSync("test/**/*.test.ts", {
  exclude: ["**/node_modules/**", ...NODE_TESTS, BROWSER_TESTS],
}).filter(needsOwnRuntime);

const LOAD_OBJECTS = "test/support/load-objects.ts";

const workerd = () =>
  cloudflareTest({
    main: "./src/index.ts",
    wrangler: { configPath: "./wrangler.toml" },
    miniflare: {
      // Rows of calls wait for no others: a test that waits for what goes on in the background waits for them.
      bindings: {
        SIGNING_SECRET: crypto.randomUUID(),
        ADMIN_KEY: crypto.randomUUID(),
        AUDIT_FLUSH_MS: "0",
      },
    },
  });

const IN_NODE = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // What such a test needs to itself is a process or a port of its own; importing wrangler anew for each is slow.
  isolate: false,
};

// Time enough on a machine that does other things too: no test is about speed.
export default defineConfig({
  test: {
    // One more than the least that there is to run on: much of the time is waiting, for processes, alarms and deadlines.
    maxWorkers: 3,
    globalSetup: ["test/cli/compile-cache.ts", "test/journeys/support/build-all.ts"],
    projects: [
      {
        plugins: [workerd()],
        test: { name: "objects", include: OBJECT_TESTS, testTimeout: 20_000, setupFiles: LOAD_OBJECTS },
      },
      {
        plugins: [workerd()],
        test: {
          name: "workerd",
          include: ["test/**/*.test.ts"],
          // `npm run bench` installs packages below test/, with tests of their own.
          exclude: [...configDefaults.exclude, ...NODE_TESTS, BROWSER_TESTS, ...OBJECT_TESTS],
          testTimeout: 20_000,
          // To start a runtime takes longer than most of these files: they share two.
          isolate: false,
          setupFiles: [LOAD_OBJECTS, "test/support/between-files.ts"],
        },
      },
      { test: { ...IN_NODE, name: "node", include: NODE_TESTS, exclude: [...configDefaults.exclude, ...LONG_TESTS] } },
      { test: { ...IN_NODE, name: "long", include: LONG_TESTS } },
    ],
  },
});
