// Modules as operators might write them, and as nobody should.

const told = (what: string): string =>
  `export default async (args, ctx) => { try { return String(await ${what}) } catch (e) { return e.name + ": " + e.message } }`;

export const codeModules: Record<string, { module: string; timeoutMs?: number }> = {
  greet: {
    module: `
      export default async ({ name }, ctx) => {
        // Clients forget to tell of progress that comes together with the answer.
        const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
        ctx.progress(1, 2, "thinking");
        await pause();
        ctx.progress(2, 2);
        ctx.log("info", { name });
        await pause();
        return { structuredContent: { greeting: "Hello " + name, caller: ctx.caller.keyName} };
      };`,
  },
  count: { module: "let calls = 0; export default () => String(++calls)" },
  reach: { module: told("fetch(args.url, args.init).then((response) => response.text())") },
  connect: {
    module: `import { connect } from "cloudflare:sockets";\n${told("connect(args.address).opened.then(() => 'connected')")}`,
  },
  look: {
    module: `import { env } from "cloudflare:workers";
      export default (args, ctx) => JSON.stringify([env, { ...process.env }, Object.keys(ctx.secrets)]);`,
  },
  leak: { module: "export default (args, ctx) => { throw new Error(ctx.secrets.TOKEN) }" },
  say: { module: "export default (args, ctx) => [ctx.secrets.TOKEN, btoa(ctx.secrets.TOKEN)].join()" },
  wait: { module: "export default () => new Promise(() => {})", timeoutMs: 300 },
  exit: { module: "export default () => process.exit(1)" },
  pollute: { module: "Object.prototype.polluted = 1; export default () => String({}.polluted)" },
  polluted: { module: "export default () => String({}.polluted)" },
};
