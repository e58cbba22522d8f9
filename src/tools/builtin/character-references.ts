// HTML's character references, as far as prose uses them.

// U+00A0 to U+00FF in order, then what prose uses besides.
const LATIN_1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
  "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
  "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
  "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
  "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute " +
  "thorn yuml";
const ENTITIES = new Map<string, string>([
  ...LATIN_1.split(" ").map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
  ...Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }),
  ...Object.entries({
    hellip: "…",
    mdash: "—",
    ndash: "–",
    lsquo: "‘",
    rsquo: "’",
    sbquo: "‚",
    ldquo: "“",
    rdquo: "”",
  }),
  ...Object.entries({
    bdquo: "„",
    lsaquo: "‹",
    rsaquo: "›",
    bull: "•",
    dagger: "†",
    permil: "‰",
    prime: "′",
    euro: "€",
  }),
  ...Object.entries({
    trade: "™",
    larr: "←",
    uarr: "↑",
    rarr: "→",
    darr: "↓",
    harr: "↔",
    minus: "−",
    ne: "≠",
    le: "≤",
  }),
  ...Object.entries({ ge: "≥", asymp: "≈", infin: "∞", radic: "√", sum: "∑", OElig: "Œ", oelig: "œ", Scaron: "Š" }),
  ...Object.entries({ scaron: "š", Zcaron: "Ž", zcaron: "ž", ensp: "\u2002", emsp: "\u2003", thinsp: "\u2009" }),
]);

/** The text with its references replaced; what names no character stays as it is. */
export const decodeReferences = (text: string): string =>
  text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z0-9]{1,7}));/gi, (written, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? written;
    return characterOf(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });

// HTML standard, "Numeric character reference end state": 0x80 to 0x9F are read as Windows-1252.
function characterOf(codePoint: number): string {
  if (codePoint === 0 || codePoint > 0x10_ff_ff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return "\uFFFD";
  if (codePoint < 0x80 || codePoint > 0x9f) return String.fromCodePoint(codePoint);
  return new TextDecoder("windows-1252").decode(new Uint8Array([codePoint]));
}
