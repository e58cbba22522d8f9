import type { JSX } from "preact";
import { Button } from "../../parts/button.tsx";
import type { Pair } from "./tool-draft.ts";

export interface PairsFieldProps {
  label: string;
  pairs: readonly Pair[];
  onPairs: (pairs: readonly Pair[]) => void;
  fault?: string | undefined;
}

/** Names and values, a row each. */
export function PairsField({ label, pairs, onPairs, fault }: PairsFieldProps): JSX.Element {
  const change = (index: number, part: Partial<Pair>): void =>
    onPairs(pairs.map((pair, each) => (each === index ? { ...pair, ...part } : pair)));
  return (
    <fieldset class="field">
      <legend class="label">{label}</legend>
      {pairs.map((pair, index) => (
        // Rows have no names of their own that would last.
        <div key={index} class="pair">
          <input
            class="input code"
            aria-label={`${label}, name ${index + 1}`}
            placeholder="name"
            value={pair.name}
            onInput={(event) => change(index, { name: event.currentTarget.value })}
          />
          <input
            class="input code"
            aria-label={`${label}, value ${index + 1}`}
            placeholder="value"
            value={pair.value}
            onInput={(event) => change(index, { value: event.currentTarget.value })}
          />
          <Button
            look="plain"
            icon="cross"
            label={`Remove row ${index + 1} of ${label}`}
            onPress={() => onPairs(pairs.filter((_, each) => each !== index))}
          >
            {""}
          </Button>
        </div>
      ))}
      <div>
        <Button slim icon="plus" onPress={() => onPairs([...pairs, { name: "", value: "" }])}>
          Add to {label.toLowerCase()}
        </Button>
      </div>
      {fault !== undefined && (
        <div class="fault" role="alert">
          {fault}
        </div>
      )}
    </fieldset>
  );
}
