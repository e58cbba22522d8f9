// What the HTML standard says of elements by their names (section 13.2, "Parsing HTML documents"), as far as it decides where
// an element ends.

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

export const VOID_ELEMENTS = names(
  "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr",
);

/** They end with their own end tags alone: a block's end is not theirs, and they go on behind it. */
export const FORMATTING_ELEMENTS = names("a b big code em font i nobr s small strike strong tt u");

/** An end tag of another element does not reach over one of these. */
export const SPECIAL_ELEMENTS = names(
  "address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd " +
    "details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr " +
    "html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p " +
    "param plaintext pre script search section select source style summary table tbody td template textarea tfoot " +
    "th thead title tr track ul wbr xmp foreignobject",
);

/** A list item ends an earlier one through these. */
export const OPEN_TO_ITEMS = names("address div p");

/** Where HTML goes on inside of SVG and MathML. */
export const INTEGRATION_POINTS = names("foreignobject desc title mi mo mn ms mtext annotation-xml");

/** Start tags that end SVG and MathML, as they belong to neither. */
export const ENDING_FOREIGN = names(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta " +
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var",
);

export const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];

const SCOPE = ["applet", "caption", "table", "td", "th", "marquee", "object", "template", ...INTEGRATION_POINTS];
const BUTTON_SCOPE = [...SCOPE, "button"];
const LIST_SCOPE = [...SCOPE, "ol", "ul"];
const TABLE_SCOPE = ["table", "template"];

/** An end tag does not reach over these. */
export const MARKERS = ["applet", "caption", "td", "th", "marquee", "object", "template"];

const CELLS = ["td", "th", "caption", "colgroup"];
const ROWS = [...CELLS, "tr"];
const SECTIONS = [...ROWS, "tbody", "thead", "tfoot"];
const TABLE_PARTS = new Set(SECTIONS);

export interface ImpliedEnd {
  /** The open elements that end. */
  targets: readonly string[];
  /** Elements beyond which they don't. */
  within: readonly string[];
}

const ENDS_PARAGRAPH =
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form header hgroup " +
  "h1 h2 h3 h4 h5 h6 hr li dd dt listing main menu nav ol p plaintext pre search section summary table ul xmp";

const IMPLIED_ENDS: ReadonlyMap<string, ImpliedEnd> = new Map([
  ...endsOf(ENDS_PARAGRAPH, ["p"], BUTTON_SCOPE),
  ...endsOf("td th", CELLS, TABLE_SCOPE),
  ...endsOf("tr", ROWS, TABLE_SCOPE),
  ...endsOf("tbody thead tfoot caption colgroup", SECTIONS, TABLE_SCOPE),
  ...endsOf("option", ["option"], ["select", "datalist", "optgroup", ...SCOPE]),
  ...endsOf("optgroup", ["option", "optgroup"], ["select", "datalist", ...SCOPE]),
  ...endsOf("input keygen textarea select", ["select"], SCOPE),
  ...endsOf("rp rt rb rtc", ["rp", "rt", "rb", "rtc"], ["ruby", ...SCOPE]),
  ...endsOf("button", ["button"], SCOPE),
  ...endsOf("a", ["a"], MARKERS),
  ...endsOf("nobr", ["nobr"], SCOPE),
]);

/** The items of a list that one of them ends. */
export const ITEMS: ReadonlyMap<string, readonly string[]> = new Map([
  ["li", ["li"]],
  ["dd", ["dd", "dt"]],
  ["dt", ["dd", "dt"]],
]);

/** What a start tag ends, if it is open. */
export const impliedEndOf = (name: string): ImpliedEnd | undefined => IMPLIED_ENDS.get(name);

/** Beyond what an end tag does not reach its element. */
export function scopeOf(name: string): readonly string[] {
  if (name === "template") return [];
  if (name === "table" || TABLE_PARTS.has(name)) return name === "table" ? ["template"] : TABLE_SCOPE;
  if (name === "p") return BUTTON_SCOPE;
  if (name === "li") return LIST_SCOPE;
  return SCOPE.includes(name) ? SCOPE.filter((boundary) => boundary !== name) : SCOPE;
}

function endsOf(starts: string, targets: readonly string[], within: readonly string[]): [string, ImpliedEnd][] {
  return starts.split(" ").map((name) => [name, { targets, within }]);
}
