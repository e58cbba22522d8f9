import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { MintedKey } from "../../api/keys-api.ts";
import { CopyButton } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Card, Notice } from "../../parts/surface.tsx";
import { clientGuides, type Access } from "./client-snippets.ts";

/** A key that was just made, this once, and how clients are given it. */
export function MintedKeyCards({ minted: { key, urlKey, scopes } }: { minted: MintedKey }): JSX.Element {
  return (
    <>
      <Card title="The key">
        <div class="stack">
          <Notice tone="warn">Copy it now: it is shown this once, and kept nowhere.</Notice>
          <div class="secret-line">
            <code class="anywhere" data-key>
              {key}
            </code>
            <CopyButton text={key} what="Copy key" />
          </div>
        </div>
      </Card>
      {scopes.includes("mcp") && <ConnectCard access={{ origin: location.origin, key, isUrlKey: urlKey }} />}
    </>
  );
}

/** What to paste where, client by client. */
export function ConnectCard({ access }: { access: Access }): JSX.Element {
  const guides = clientGuides(access);
  const [chosen, setChosen] = useState(guides[0]?.client);
  const guide = guides.find(({ client }) => client === chosen);
  return (
    <Card title="Connect a client">
      <div class="stack">
        <div class="modes wrap" role="group" aria-label="Client">
          {guides.map(({ client }) => (
            <button key={client} type="button" aria-pressed={client === chosen} onClick={() => setChosen(client)}>
              {client}
            </button>
          ))}
        </div>
        {guide?.steps.map(({ where, text, isJson }) => (
          <div key={where} class="stack close">
            <h3>{where}</h3>
            <Code text={text} json={isJson} label={`${guide.client}: ${where}`} />
          </div>
        ))}
        {guide?.note !== undefined && <p class="soft">{guide.note}</p>}
      </div>
    </Card>
  );
}
