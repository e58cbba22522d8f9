// A JSON Schema as people read it, and raw.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { JsonBlock } from "../../parts/code.tsx";
import { Button } from "../../parts/button.tsx";
import { Badge, Card } from "../../parts/surface.tsx";
import { asSchema, describeBounds, describeType, resolve, type Schema } from "../../schema/json-schema.ts";

export function SchemaCard({ title, schema }: { title: string; schema: unknown }): JSX.Element {
  const [isRaw, setRaw] = useState(false);
  return (
    <Card
      title={title}
      actions={
        <Button slim look="plain" onPress={() => setRaw(!isRaw)}>
          {isRaw ? "Readable" : "Raw JSON"}
        </Button>
      }
    >
      {isRaw ? <JsonBlock value={schema} label={`${title}, JSON Schema`} /> : <SchemaView schema={asSchema(schema)} />}
    </Card>
  );
}

const SchemaView = ({ schema }: { schema: Schema }): JSX.Element => {
  const root = resolve(schema, schema);
  return Object.keys(root.properties ?? {}).length === 0 ? (
    <p class="soft">{root.type === "object" || root.type === undefined ? "None." : describeType(root, schema)}</p>
  ) : (
    <Properties schema={root} root={schema} depth={0} />
  );
};

/** Deeper levels are in the raw schema; one that refers to itself has no end. */
const SHOWN_LEVELS = 6;

function Properties({ schema, root, depth }: { schema: Schema; root: Schema; depth: number }): JSX.Element {
  const required = new Set(schema.required ?? []);
  return (
    <ul class="properties">
      {Object.entries(schema.properties ?? {}).map(([name, property]) => (
        <li key={name}>
          <Property name={name} schema={property} root={root} isRequired={required.has(name)} depth={depth} />
        </li>
      ))}
    </ul>
  );
}

interface PropertyProps {
  name: string;
  schema: Schema;
  root: Schema;
  isRequired: boolean;
  depth: number;
}

function Property({ name, schema, root, isRequired, depth }: PropertyProps): JSX.Element {
  const resolved = resolve(schema, root);
  const bounds = describeBounds(resolved);
  const inner = innerOf(resolved, root);
  return (
    <>
      <div class="row">
        <code class="property anywhere">{name}</code>
        <span class="soft">{describeType(resolved, root)}</span>
        {isRequired && <Badge tone="accent">required</Badge>}
        {bounds.map((bound) => (
          <span key={bound} class="soft small">
            {bound}
          </span>
        ))}
      </div>
      {resolved.description !== undefined && <p class="soft prose">{resolved.description}</p>}
      {inner && depth < SHOWN_LEVELS && <Properties schema={inner} root={root} depth={depth + 1} />}
    </>
  );
}

/** What of an object, or of a list's objects, has properties of its own to show. */
function innerOf(schema: Schema, root: Schema): Schema | undefined {
  if (schema.properties) return schema;
  const items = schema.items && typeof schema.items === "object" ? resolve(schema.items, root) : undefined;
  return items?.properties ? items : undefined;
}
