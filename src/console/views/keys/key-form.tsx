import type { JSX } from "preact";
import { CheckField, SelectField, TextField } from "../../parts/field.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/surface.tsx";
import { toLocal } from "../audit/audit-filters.tsx";
import { SCOPES, type KeyDraft, type KeyFaults, type ToolLimitDraft } from "./key-draft.ts";
import { SERVER_LIMITS } from "../../server-limits.ts";

export interface KeyFormProps {
  draft: KeyDraft;
  onDraft: (draft: KeyDraft) => void;
  faults: KeyFaults;
  /** Where a key works, and is made, is settled when it is minted. */
  isNew: boolean;
}

const REGIONS = {
  "": "Near to whoever mints it",
  wnam: "Western North America",
  enam: "Eastern North America",
  sam: "South America",
  weur: "Western Europe",
  eeur: "Eastern Europe",
  apac: "Asia and Pacific",
  oc: "Oceania",
  afr: "Africa",
  me: "Middle East",
};

export function KeyForm({ draft, onDraft, faults, isNew }: KeyFormProps): JSX.Element {
  const set =
    <K extends keyof KeyDraft>(name: K) =>
    (value: KeyDraft[K]) =>
      onDraft({ ...draft, [name]: value });
  return (
    <>
      <Card title="Key">
        <div class="stack">
          <TextField
            label="Name"
            value={draft.name}
            onInput={set("name")}
            fault={faults.name}
            hint="What or whom it is for."
            required
          />
          <Scopes draft={draft} onDraft={onDraft} fault={faults.scopes} />
          <TextField
            label="Expires"
            type="datetime-local"
            value={toLocal(draft.expiresAt)}
            onInput={(local) => set("expiresAt")(local === "" ? "" : new Date(local).toISOString())}
            hint="It ends by itself then. Empty: never."
          />
          {isNew && <Place draft={draft} onDraft={onDraft} />}
        </div>
      </Card>
      <LimitsCard draft={draft} onDraft={onDraft} faults={faults} />
      <Card title="Tools">
        <div class="stack">
          <div class="grid-fields wide">
            <TextField
              label="Allowed"
              code
              rows={3}
              value={draft.allow}
              onInput={set("allow")}
              placeholder="*"
              hint="Globs over names, a line each. Empty: all."
            />
            <TextField
              label="Denied"
              code
              rows={3}
              value={draft.deny}
              onInput={set("deny")}
              hint="These win. A tool that is hidden is as if it were not there."
            />
          </div>
          <CheckField
            label="Discovery: lists search_tools and call_tool in the catalogue's place, for thousands of tools"
            checked={draft.discovery}
            onInput={set("discovery")}
          />
        </div>
      </Card>
    </>
  );
}

type PartProps = Pick<KeyFormProps, "draft" | "onDraft">;

const Scopes = ({ draft, onDraft, fault }: PartProps & { fault: string | undefined }): JSX.Element => (
  <fieldset class="field">
    <legend class="label">Scopes</legend>
    {SCOPES.map(({ scope, means }) => (
      <CheckField
        key={scope}
        label={
          <>
            <code>{scope}</code> <span class="soft">{means}</span>
          </>
        }
        checked={draft.scopes.includes(scope)}
        onInput={(isOn) =>
          onDraft({
            ...draft,
            scopes: SCOPES.map(({ scope }) => scope).filter((each) =>
              each === scope ? isOn : draft.scopes.includes(each),
            ),
          })
        }
      />
    ))}
    {fault !== undefined && (
      <div class="fault" role="alert">
        {fault}
      </div>
    )}
  </fieldset>
);

const Place = ({ draft, onDraft }: PartProps): JSX.Element => (
  <>
    <CheckField
      label="For clients that can send no header (ChatGPT, claude.ai): the key is part of the URL, and works nowhere else"
      checked={draft.urlKey}
      onInput={(urlKey) => onDraft({ ...draft, urlKey })}
    />
    <SelectField
      label="Used most in"
      value={draft.region}
      onInput={(region) => onDraft({ ...draft, region })}
      options={Object.entries(REGIONS).map(([value, label]) => ({ value, label }))}
      hint="Where its limits are counted."
    />
  </>
);

const NUMBERS = [
  ["perMinute", "Calls a minute", ""],
  ["burst", "At once", "Empty: a whole minute's"],
  ["perDay", "Calls a day", "From 00:00 UTC. Empty: no limit"],
  ["concurrent", "At the same time", "Empty: no limit"],
  ["streams", "Open streams", `Empty: ${SERVER_LIMITS.keySockets}`],
] as const;

function LimitsCard({ draft, onDraft, faults }: Omit<KeyFormProps, "isNew">): JSX.Element {
  return (
    <Card title="Limits">
      <div class="stack">
        <div class="grid-fields">
          {NUMBERS.map(([name, label, hint]) => (
            <TextField
              key={name}
              label={label}
              type="number"
              value={draft[name]}
              onInput={(value) => onDraft({ ...draft, [name]: value })}
              fault={faults.numbers[name]}
              {...(hint !== "" && { hint })}
            />
          ))}
        </div>
        <ToolLimits limits={draft.toolLimits} onLimits={(toolLimits) => onDraft({ ...draft, toolLimits })} />
        {faults.toolLimits !== undefined && (
          <div class="fault" role="alert">
            {faults.toolLimits}
          </div>
        )}
      </div>
    </Card>
  );
}

interface ToolLimitsProps {
  limits: readonly ToolLimitDraft[];
  onLimits: (limits: readonly ToolLimitDraft[]) => void;
}

const ToolLimits = ({ limits, onLimits }: ToolLimitsProps): JSX.Element => {
  const change = (index: number, part: Partial<ToolLimitDraft>): void =>
    onLimits(limits.map((limit, each) => (each === index ? { ...limit, ...part } : limit)));
  return (
    <fieldset class="field">
      <legend class="label">Limits of some tools</legend>
      <div class="hint">Besides the key's own: a call pays every one that it falls under.</div>
      {limits.map((limit, index) => (
        // Rows have no names of their own that would last.
        <div key={index} class="tool-limit">
          <input
            class="input code"
            aria-label={`Tools of limit ${index + 1}`}
            placeholder="fetch_*"
            value={limit.glob}
            onInput={(event) => change(index, { glob: event.currentTarget.value })}
          />
          <input
            class="input"
            type="number"
            aria-label={`Calls a minute of limit ${index + 1}`}
            placeholder="a minute"
            value={limit.perMinute}
            onInput={(event) => change(index, { perMinute: event.currentTarget.value })}
          />
          <input
            class="input"
            type="number"
            aria-label={`Calls at once of limit ${index + 1}`}
            placeholder="at once"
            value={limit.burst}
            onInput={(event) => change(index, { burst: event.currentTarget.value })}
          />
          <Button
            look="plain"
            icon="cross"
            label={`Remove limit ${index + 1}`}
            onPress={() => onLimits(limits.filter((_, each) => each !== index))}
          >
            {""}
          </Button>
        </div>
      ))}
      <div>
        <Button slim icon="plus" onPress={() => onLimits([...limits, { glob: "", perMinute: "", burst: "" }])}>
          Add a limit
        </Button>
      </div>
    </fieldset>
  );
};
