// A tool's result by the types of its content, and as it came. All of it is somebody else's: shown, never run or followed.

import type { JSX } from "preact";
import type { Content } from "../../../tools/content.ts";
import type { CallResult } from "../../mcp/send-call.ts";
import { JsonBlock } from "../../parts/code.tsx";
import { Badge, Notice } from "../../parts/surface.tsx";

export function ResultView({ result, answer }: { result: CallResult; answer: unknown }): JSX.Element {
  const { content = [], structuredContent, isError } = result;
  return (
    <div class="columns result">
      <div class="stack">
        {isError && (
          <Notice tone="warn">
            <strong>The tool says that it failed</strong>
            <span>A model reads this, and may try again otherwise.</span>
          </Notice>
        )}
        {content.map((item, index) => (
          // A result does not change.
          <figure key={index} class="content">
            <figcaption class="row">
              <Badge>{item.type}</Badge>
              <About item={item} />
            </figcaption>
            <ContentView item={item} />
          </figure>
        ))}
        {structuredContent !== undefined && (
          <figure class="content">
            <figcaption>
              <Badge>structured</Badge>
            </figcaption>
            <JsonBlock value={structuredContent} label="Structured content" />
          </figure>
        )}
        {content.length === 0 && structuredContent === undefined && <p class="soft">It is empty.</p>}
      </div>
      <figure class="content">
        <figcaption>
          <Badge>as it came</Badge>
        </figcaption>
        <JsonBlock value={answer} label="The answer as it came" />
      </figure>
    </div>
  );
}

function About({ item }: { item: Content }): JSX.Element | null {
  const { audience, priority } = item.annotations ?? {};
  const type = "mimeType" in item ? item.mimeType : undefined;
  return (
    <span class="soft small">
      {[type, audience && `for ${audience.join(" and ")}`, priority !== undefined && `priority ${priority}`]
        .filter(Boolean)
        .join(" · ")}
    </span>
  );
}

function ContentView({ item }: { item: Content }): JSX.Element {
  switch (item.type) {
    case "text":
      return <TextView text={item.text} />;
    case "image":
      return (
        <img
          class="picture"
          src={dataUrl(item.mimeType, item.data, "image/")}
          alt={`The tool's image, ${item.mimeType}`}
        />
      );
    case "audio":
      return (
        <audio
          controls
          src={dataUrl(item.mimeType, item.data, "audio/")}
          aria-label={`The tool's audio, ${item.mimeType}`}
        />
      );
    case "resource":
      return <ResourceView resource={item.resource} />;
    case "resource_link":
      return (
        <div class="stack close">
          <strong>{item.title ?? item.name}</strong>
          {item.description !== undefined && <p class="soft">{item.description}</p>}
          <SafeLink uri={item.uri} />
        </div>
      );
    default:
      return <JsonBlock value={item} label="Content of an unknown type" />;
  }
}

/** Text that is JSON is shown as such. */
function TextView({ text }: { text: string }): JSX.Element {
  if (/^\s*[[{]/.test(text)) {
    try {
      return <JsonBlock value={JSON.parse(text) as unknown} label="Text, which is JSON" />;
    } catch {
      // It only begins as JSON does.
    }
  }
  return <div class="text">{text}</div>;
}

type Resource = Extract<Content, { type: "resource" }>["resource"];

function ResourceView({ resource }: { resource: Resource }): JSX.Element {
  const { uri, mimeType = "" } = resource;
  return (
    <div class="stack close">
      <SafeLink uri={uri} />
      {"text" in resource ? (
        <TextView text={resource.text} />
      ) : mimeType.startsWith("image/") ? (
        <img class="picture" src={dataUrl(mimeType, resource.blob, "image/")} alt={`The resource, ${mimeType}`} />
      ) : (
        <a href={dataUrl("application/octet-stream", resource.blob, "application/")} download={nameOf(uri)}>
          Save its {Math.ceil((resource.blob.length * 3) / 4).toLocaleString()} bytes
        </a>
      )}
    </div>
  );
}

/** Only what opens as a page is a link; `javascript:` and the like are text. */
const SafeLink = ({ uri }: { uri: string }): JSX.Element =>
  /^https?:\/\//i.test(uri) ? (
    <a class="mono" href={uri} target="_blank" rel="noopener noreferrer">
      {uri}
    </a>
  ) : (
    <code>{uri}</code>
  );

const nameOf = (uri: string): string => uri.split(/[/\\?#]/).findLast((part) => part !== "") ?? "resource";

/** Data of a type that it should be of; of any other it is shown as nothing. SVG in an `img` runs no scripts. */
const dataUrl = (type: string, base64: string, expected: string): string =>
  type.startsWith(expected) && /^[\w.+/-]+$/.test(type) ? `data:${type};base64,${base64}` : "data:,";
