// Tools by words: an inverted index of what the catalogue says of them, ranked by BM25 with a weight for each field. It
// follows the catalogue from one version to the next by what changed, the first time that one is searched.

import { isJsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Catalogue, CatalogueTool } from "../registry/catalogue.ts";
import type { ToolDefinition } from "../tools/define-tool.ts";
import { wordsOf } from "./search-words.ts";

/** Which documents have a word, and with what weight. */
interface Postings {
  documents: number[];
  weights: number[];
}

const WEIGHTS = { name: 4, title: 3, description: 2, parameter: 1.5, parameterText: 1 };

// BM25's k1 and b: how soon more of the same word stops counting, and how much a long text counts against itself. That is
// less than for prose: a tool that is described at length is no worse.
const SATURATION = 1.2;
const LENGTH_SHARE = 0.3;

/** A word that only begins with one that was asked for counts by how much of it that is, and at most this much. */
const PREFIX_SHARE = 0.6;
const PREFIX_CHARS = 3;

export class ToolSearch {
  #version = -1;
  #postings = new Map<string, Postings>();
  /** Words by their first characters. */
  #beginnings = new Map<string, string[]>();
  /** The tools by their numbers, `undefined` where one is gone. */
  #documents: (CatalogueTool | undefined)[] = [];
  #lengths: number[] = [];
  /** By what a definition is from, and changes with: a row, or a tool in the code. */
  #numbers = new Map<object, number>();
  #totalLength = 0;

  /** The best few among those that `isVisible` lets through, best first. */
  find(
    catalogue: Catalogue,
    query: string,
    { limit, isVisible }: { limit: number; isVisible: (name: string) => boolean },
  ): CatalogueTool[] {
    if (catalogue.version !== this.#version) this.#follow(catalogue);
    const found: CatalogueTool[] = [];
    const named = catalogue.byName.get(query.trim());
    if (named && isVisible(named.name)) found.push(named);
    for (const entry of this.#rank(query)) {
      if (found.length >= limit) break;
      if (entry.name !== named?.name && isVisible(entry.name)) found.push(entry);
    }
    return found;
  }

  #rank(query: string): CatalogueTool[] {
    const scores = new Float64Array(this.#documents.length);
    for (const word of new Set(wordsOf(query).slice(0, LIMITS.searchWords))) this.#score(word, scores);
    const ranked: { entry: CatalogueTool; score: number }[] = [];
    scores.forEach((score, number) => {
      const entry = score > 0 ? this.#documents[number] : undefined;
      if (entry) ranked.push({ entry, score });
    });
    return ranked.sort((a, b) => b.score - a.score || (a.entry.name < b.entry.name ? -1 : 1)).map(({ entry }) => entry);
  }

  /** A document counts once a word of the query, by its best match. */
  #score(word: string, scores: Float64Array): void {
    const best = new Map<number, number>();
    for (const match of this.#matchesOf(word)) {
      const { documents, weights } = this.#postings.get(match) ?? { documents: [], weights: [] };
      const rarity = Math.log(1 + (this.#numbers.size + 0.5) / (documents.length + 0.5));
      const share = match === word ? 1 : PREFIX_SHARE * (word.length / match.length);
      documents.forEach((number, at) => {
        const score = rarity * share * this.#saturate(weights[at] ?? 0, number);
        if (score > (best.get(number) ?? 0)) best.set(number, score);
      });
    }
    for (const [number, score] of best) scores[number] = (scores[number] ?? 0) + score;
  }

  #matchesOf(word: string): string[] {
    if (word.length < PREFIX_CHARS) return [word];
    return (this.#beginnings.get(word.slice(0, PREFIX_CHARS)) ?? []).filter((known) => known.startsWith(word));
  }

  #saturate(weight: number, number: number): number {
    const relativeLength = ((this.#lengths[number] ?? 0) * this.#numbers.size) / this.#totalLength;
    return weight / (weight + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * relativeLength));
  }

  /** Takes in what is new and lets go of what is not there any more. */
  #follow(catalogue: Catalogue): void {
    const gone = new Map(this.#numbers);
    const added: CatalogueTool[] = [];
    for (const entry of catalogue.tools) {
      const origin = originOf(entry);
      const number = this.#numbers.get(origin);
      if (number === undefined) added.push(entry);
      else this.#documents[number] = entry;
      gone.delete(origin);
    }
    for (const [origin, number] of gone) this.#remove(origin, number);
    // Postings of what is gone stay until there are more of them than of what is there.
    if (this.#documents.length > 2 * (this.#numbers.size + added.length)) this.#clear();
    const fresh = this.#documents.length === 0 ? catalogue.tools : added;
    for (const entry of fresh) this.#add(entry);
    this.#version = catalogue.version;
  }

  #add(entry: CatalogueTool): void {
    const { definition } = entry;
    if (!definition) return;
    const number = this.#documents.push(entry) - 1;
    const weights = weigh(definition);
    let length = 0;
    for (const [word, weight] of weights) {
      length += weight;
      const postings = this.#postings.get(word) ?? this.#learn(word);
      postings.documents.push(number);
      postings.weights.push(weight);
    }
    this.#lengths.push(length);
    this.#totalLength += length;
    this.#numbers.set(originOf(entry), number);
  }

  #learn(word: string): Postings {
    const postings: Postings = { documents: [], weights: [] };
    this.#postings.set(word, postings);
    const beginning = word.slice(0, PREFIX_CHARS);
    const known = this.#beginnings.get(beginning);
    if (known) known.push(word);
    else this.#beginnings.set(beginning, [word]);
    return postings;
  }

  #remove(origin: object, number: number): void {
    this.#numbers.delete(origin);
    this.#documents[number] = undefined;
    this.#totalLength -= this.#lengths[number] ?? 0;
  }

  #clear(): void {
    [this.#documents, this.#lengths, this.#totalLength] = [[], [], 0];
    this.#postings.clear();
    this.#beginnings.clear();
    this.#numbers.clear();
  }
}

const originOf = (entry: CatalogueTool): object => (entry.row?.record ? entry.row : (entry.tool ?? entry));

/** The words of a definition and the sum of their weights. */
function weigh({ name, title = "", description, inputSchema }: ToolDefinition): Map<string, number> {
  const weights = new Map<string, number>();
  const note = (text: string, weight: number): void => {
    for (const word of wordsOf(text.slice(0, LIMITS.searchIndexedChars))) {
      const before = weights.get(word);
      if (before !== undefined || weights.size < LIMITS.searchIndexedWords) weights.set(word, (before ?? 0) + weight);
    }
  };
  note(name, WEIGHTS.name);
  note(title, WEIGHTS.title);
  note(description, WEIGHTS.description);
  const { properties } = inputSchema;
  if (!isJsonObject(properties)) return weights;
  for (const [property, schema] of Object.entries(properties).slice(0, LIMITS.searchIndexedProperties)) {
    note(property, WEIGHTS.parameter);
    const text = isJsonObject(schema) ? schema["description"] : undefined;
    if (typeof text === "string") note(text, WEIGHTS.parameterText);
  }
  return weights;
}
