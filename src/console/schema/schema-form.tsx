// A form made from a JSON Schema. It helps to write a value; whether the value is right is for the server to say.

import type { JSX } from "preact";
import { Button } from "../parts/button.tsx";
import { ChoiceField, JsonField, NumberField, TextValueField, type ValueProps } from "./value-fields.tsx";
import { describeBounds, mayBeNull, resolve, typeOf, type Schema } from "./json-schema.ts";
import { sampleOf } from "./sample.ts";

export interface SchemaFieldProps extends ValueProps {
  schema: Schema;
  root: Schema;
  depth?: number;
}

/** Deeper than this, a value is written as JSON. */
const DEEPEST = 8;

/** A schema's members as fields, without a frame of their own. */
export function SchemaForm({
  schema,
  value,
  onValue,
}: {
  schema: Schema;
  value: unknown;
  onValue: (value: unknown) => void;
}): JSX.Element {
  const resolved = resolve(schema, schema);
  if (Object.keys(resolved.properties ?? {}).length === 0) return <p class="soft">It takes no arguments.</p>;
  return <Members schema={resolved} root={schema} value={value} onValue={onValue} depth={0} />;
}

interface MembersProps {
  schema: Schema;
  root: Schema;
  value: unknown;
  onValue: (value: unknown) => void;
  depth: number;
}

function Members({ schema, root, value, onValue, depth }: MembersProps): JSX.Element {
  const members = asRecord(value);
  const required = new Set(schema.required ?? []);
  // What can be one thing only, and is it, is no question.
  const isSettled = (name: string, property: Schema): boolean =>
    required.has(name) && property.const !== undefined && property.const === members[name];
  const change = (name: string, next: unknown): void => {
    const { [name]: _, ...others } = members;
    onValue(next === undefined ? others : { ...members, [name]: next });
  };
  return (
    <div class="stack">
      {Object.entries(schema.properties ?? {}).map(([name, property]) =>
        isSettled(name, property) ? null : (
          <SchemaField
            key={name}
            label={name}
            schema={property}
            root={root}
            isRequired={required.has(name)}
            value={members[name]}
            onValue={(next) => change(name, next)}
            depth={depth + 1}
          />
        ),
      )}
    </div>
  );
}

/** One value of any kind. `undefined` is a value that is not there. */
export function SchemaField({ schema, root, depth = 0, ...field }: SchemaFieldProps): JSX.Element {
  const resolved = resolve(schema, root);
  const hint = <Hint schema={resolved} />;
  const props = { ...field, ...(resolved.title !== undefined && { title: resolved.title }), hint };
  if (resolved.const !== undefined)
    return <ChoiceField {...props} choices={[{ label: JSON.stringify(resolved.const), value: resolved.const }]} />;
  if (resolved.enum)
    return <ChoiceField {...props} choices={resolved.enum.map((each) => ({ label: labelOf(each), value: each }))} />;
  const variants = resolved.oneOf ?? resolved.anyOf;
  if (variants && !resolved.properties && depth < DEEPEST) {
    const titled = variants.map((variant) => resolve(variant, root));
    if (titled.every((variant) => variant.const !== undefined)) {
      return (
        <ChoiceField
          {...props}
          choices={titled.map((each) => ({ label: each.title ?? labelOf(each.const), value: each.const }))}
        />
      );
    }
    return <VariantField {...props} variants={titled} root={root} depth={depth} />;
  }
  switch (typeOf(resolved)) {
    case "boolean":
      return <ChoiceField {...props} choices={YES_NO} />;
    case "integer":
    case "number":
      return <NumberField {...props} schema={resolved} />;
    case "string":
      return <TextValueField {...props} schema={resolved} />;
    case "array":
      return typeof resolved.items === "object" && depth < DEEPEST ? (
        <ListField {...props} schema={resolved} root={root} depth={depth} />
      ) : (
        <JsonField {...props} />
      );
    case "object":
      return resolved.properties && depth < DEEPEST ? (
        <ObjectField {...props} schema={resolved} root={root} depth={depth} />
      ) : (
        <JsonField {...props} />
      );
    default:
      return <JsonField {...props} />;
  }
}

const YES_NO = [
  { label: "true", value: true },
  { label: "false", value: false },
];

const labelOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function Hint({ schema }: { schema: Schema }): JSX.Element | null {
  const bounds = describeBounds(schema);
  const orNull = mayBeNull(schema) ? ["may be null"] : [];
  const text = [...bounds, ...orNull].join(" · ");
  if (schema.description === undefined && text === "") return null;
  return (
    <>
      {schema.description}
      {text !== "" && <span class="bounds">{text}</span>}
    </>
  );
}

type FrameProps = SchemaFieldProps & { hint: JSX.Element; depth: number };

/** A group of fields that is there or not. */
function Frame({ children, ...props }: FrameProps & { children: JSX.Element }): JSX.Element {
  const { label, isRequired, hint, value, onValue, schema, root } = props;
  if (value === undefined) {
    return (
      <div class="field">
        <div class="label mono">{label}</div>
        <div>
          <Button slim icon="plus" onPress={() => onValue(sampleOf(schema, root) ?? {})}>
            Give {label}
          </Button>
        </div>
        <div class="hint">{hint}</div>
      </div>
    );
  }
  return (
    <fieldset class="group">
      <legend>
        <span class="mono">{label}</span>
        {isRequired && !props.isItem && <span class="required"> required</span>}
      </legend>
      <div class="stack">
        <div class="hint">{hint}</div>
        {children}
        {!isRequired && (
          <div>
            <Button slim icon="cross" onPress={() => onValue(undefined)}>
              Leave out {label}
            </Button>
          </div>
        )}
      </div>
    </fieldset>
  );
}

const ObjectField = (props: FrameProps): JSX.Element => (
  <Frame {...props} value={props.isRequired ? asRecord(props.value) : props.value}>
    <Members schema={props.schema} root={props.root} value={props.value} onValue={props.onValue} depth={props.depth} />
  </Frame>
);

function ListField(props: FrameProps): JSX.Element {
  const { label, schema, root, value, onValue, depth } = props;
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const itemSchema = schema.items as Schema;
  return (
    <Frame {...props} value={props.isRequired ? items : value}>
      <div class="stack">
        {items.map((item, index) => (
          // Items have no names of their own that would last.
          <div key={index} class="item">
            <SchemaField
              label={`${label} ${index + 1}`}
              schema={itemSchema}
              root={root}
              isRequired
              isItem
              value={item}
              onValue={(next) => onValue(items.map((each, at) => (at === index ? next : each)))}
              depth={depth + 1}
            />
            <Button
              look="plain"
              icon="cross"
              label={`Remove ${label} ${index + 1}`}
              onPress={() => onValue(items.filter((_, at) => at !== index))}
            >
              {""}
            </Button>
          </div>
        ))}
        <div>
          <Button slim icon="plus" onPress={() => onValue([...items, sampleOf(itemSchema, root)])}>
            Add to {label}
          </Button>
        </div>
      </div>
    </Frame>
  );
}

interface VariantProps extends ValueProps {
  hint: JSX.Element;
  variants: readonly Schema[];
  root: Schema;
  depth: number;
}

/** One of several shapes, chosen first. */
function VariantField({ variants, root, depth, hint, ...field }: VariantProps): JSX.Element {
  const chosen =
    field.value === undefined
      ? -1
      : Math.max(
          0,
          variants.findIndex((variant) => fits(variant, field.value)),
        );
  const variant = variants[chosen];
  return (
    <fieldset class="group">
      <legend>
        <span class="mono">{field.label}</span>
        {field.isRequired && <span class="required"> required</span>}
      </legend>
      <div class="stack">
        <div class="hint">{hint}</div>
        <select
          class="input"
          aria-label={`Kind of ${field.label}`}
          value={String(chosen)}
          onInput={(event) => {
            const next = variants[Number(event.currentTarget.value)];
            field.onValue(next && sampleOf(next, root));
          }}
        >
          {(!field.isRequired || chosen < 0) && <option value="-1">left out</option>}
          {variants.map((each, index) => (
            <option key={index} value={String(index)}>
              {each.title ?? nameOf(each, index)}
            </option>
          ))}
        </select>
        {variant &&
          (typeOf(variant) === "object" ? (
            <Members schema={variant} root={root} value={field.value} onValue={field.onValue} depth={depth} />
          ) : (
            typeOf(variant) !== "null" && (
              <SchemaField {...field} isRequired schema={variant} root={root} depth={depth + 1} />
            )
          ))}
      </div>
    </fieldset>
  );
}

/** An object is named by the constant that tells it from the others, if it has one. */
function nameOf(schema: Schema, index: number): string {
  const tag = Object.values(schema.properties ?? {}).find((property) => property.const !== undefined);
  if (tag) return labelOf(tag.const);
  if (schema.enum) return schema.enum.map(labelOf).join(" | ");
  return typeOf(schema) ?? (schema.type === "null" ? "null" : `shape ${index + 1}`);
}

/** Whether a value looks like a variant's: by type, constants and required members. */
function fits(schema: Schema, value: unknown): boolean {
  if (schema.const !== undefined) return schema.const === value;
  if (schema.enum) return schema.enum.includes(value);
  switch (typeOf(schema)) {
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      const members = value as Record<string, unknown>;
      return (
        (schema.required ?? []).every((name) => name in members) &&
        Object.entries(schema.properties ?? {}).every(
          ([name, { const: tag }]) => tag === undefined || members[name] === tag,
        )
      );
    }
    case "array":
      return Array.isArray(value);
    case "integer":
    case "number":
      return typeof value === "number";
    case undefined:
      return schema.type === undefined;
    case "null":
      return value === null;
    default:
      return typeof value === typeOf(schema);
  }
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
