// The page itself: no script, no request to anywhere, one style sheet that the policy names by its hash.

import { encodeBase64 } from "../lib/base64.ts";
import type { Connection } from "./connect-client.ts";

/** A tool as everybody may see it. */
export interface PublicTool {
  name: string;
  title?: string;
  description: string;
}

export interface FrontPage {
  name: string;
  title: string;
  version: string;
  endpoint: string;
  /** For clients of 2024-11-05. */
  sse: string;
  /** Newest first. */
  revisions: readonly string[];
  authentication: string;
  connect: Connection[];
  /** Only where an operator lets everybody see them; absent too while they can't be had. */
  tools?: PublicTool[];
  /** How many more there are. */
  moreTools?: number;
}

const STYLE = `:root{color-scheme:light dark;--paper:light-dark(#fbfaf7,#14161a);--card:light-dark(#fff,#1b1e24);--ink:light-dark(#1c1d20,#e9e8e4);--soft:light-dark(#5b5f68,#a2a7b1);--line:light-dark(#e2dfd7,#2d3139);--mark:light-dark(#0b6e5f,#58d0bb);--code:light-dark(#f3f1ea,#101216)}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,sans-serif;-webkit-text-size-adjust:100%}
main{max-width:46rem;margin:0 auto;padding:clamp(2rem,8vw,5rem) 1.25rem 3rem}
h1{font-size:clamp(1.9rem,6vw,2.75rem);line-height:1.15;letter-spacing:-.02em;margin:.75rem 0 .75rem;text-wrap:balance}
h2{font-size:1.15rem;margin:2.75rem 0 .75rem}
p{margin:.5rem 0;color:var(--soft)}
a{color:var(--mark)}
.name{font-weight:650;color:var(--mark);margin:0}
.lead{font-size:1.1rem;max-width:36rem}
code,pre{font:.875rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{margin:.75rem 0 0;padding:.85rem 1rem;background:var(--code);border:1px solid var(--line);border-radius:.6rem;overflow-x:auto;user-select:all;-webkit-user-select:all}
pre:focus-visible,summary:focus-visible,a:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
.endpoint{margin-top:1.75rem;font-size:1rem}
.endpoint code{font-size:1rem}
details{background:var(--card);border:1px solid var(--line);border-bottom-width:0;padding:0 1rem}
details:first-of-type{border-radius:.75rem .75rem 0 0}
details:last-of-type{border-radius:0 0 .75rem .75rem;border-bottom-width:1px}
details[open]{padding-bottom:1rem}
summary{cursor:pointer;padding:.8rem 0;font-weight:600;list-style-position:inside}
summary::marker{color:var(--mark)}
details p{margin:0;font-size:.925rem}
dl{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.75rem;overflow:hidden}
dl div{padding:.75rem 1rem;border-top:1px solid var(--line)}
dl div:first-child{border-top:0}
dt{font-weight:600;overflow-wrap:anywhere}
dt code{font-weight:400;color:var(--soft);margin-left:.4rem}
dd{margin:.1rem 0 0;color:var(--soft);font-size:.925rem;overflow-wrap:anywhere}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);font-size:.875rem;color:var(--soft);display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}`;

const ICON =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M3 14V7a5 5 0 0 1 10 0v7" fill="none" stroke="#0b6e5f" stroke-width="2.4"/><circle cx="8" cy="10" r="1.7" fill="#0b6e5f"/></svg>',
  );

let hash: string | undefined;

/** The style sheet as a policy names it. */
export async function styleHash(): Promise<string> {
  if (hash !== undefined) return hash;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(STYLE));
  return (hash = `sha256-${encodeBase64(new Uint8Array(digest))}`);
}

export const renderFrontPage = ({
  title,
  version,
  endpoint,
  revisions,
  connect,
  tools,
  moreTools,
}: FrontPage): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(title)}: MCP tools at ${escape(new URL(endpoint).host)}</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="name">${escape(title)}</p>
<h1>Tools for your AI client, over the Model Context Protocol</h1>
<p class="lead">This address is an MCP server. Clients of every revision connect to it with an API key, which whoever runs this server gives out.</p>
<pre class="endpoint" tabindex="0" aria-label="Endpoint"><code>${escape(endpoint)}</code></pre>
<h2>Connect a client</h2>
${connect.map(renderConnection).join("\n")}
${tools ? renderTools(tools, moreTools) : ""}
<footer><span>${escape(title)} ${escape(version)}</span><span>MCP ${escape(revisions.at(-1) ?? "")} to ${escape(revisions[0] ?? "")}</span><a href="/console/">Console, for operators</a></footer>
</main>
</body>
</html>
`;

const renderConnection = ({ client, where, text }: Connection, index: number): string =>
  `<details name="client"${index === 0 ? " open" : ""}><summary>${escape(client)}</summary><p>${escape(where)}</p><pre tabindex="0" aria-label="For ${escape(client)}"><code>${escape(text)}</code></pre></details>`;

function renderTools(tools: readonly PublicTool[], more = 0): string {
  const rest = more > 0 ? `<p>And ${more} more.</p>` : "";
  if (tools.length === 0) return "<h2>Tools</h2><p>There are none at the moment.</p>";
  return `<h2>Tools</h2><dl>${tools.map(renderTool).join("")}</dl>${rest}`;
}

const renderTool = ({ name, title, description }: PublicTool): string =>
  `<div><dt>${escape(title ?? name)}${title === undefined ? "" : `<code>${escape(name)}</code>`}</dt><dd>${escape(description)}</dd></div>`;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
