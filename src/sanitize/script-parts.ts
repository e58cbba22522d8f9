// Which invisible characters belong to what stands around them: what emoji, ideographs, symbols and scripts need to be
// written right. One only, always: a run is none's.

const EMOJI = /\p{Extended_Pictographic}/u;
const EMOJI_END = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]/u;
// Letters that join, and the scripts of India and their kin, in which a joiner says how consonants meet.
const SHAPED = new RegExp(
  `[${[
    ..."Arabic Syriac Mongolian Nko Mandaic Manichaean Psalter_Pahlavi Phags_Pa Adlam Hanifi_Rohingya Sogdian".split(
      " ",
    ),
    ..."Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Myanmar Khmer".split(" "),
    ..."Javanese Balinese Sundanese Meetei_Mayek Grantha Tirhuta Khojki Khudawadi Sharada Siddham Takri".split(" "),
    ..."Modi Newa Brahmi Kaithi Chakma Saurashtra Cham Tai_Tham Rejang Batak Lepcha Syloti_Nagri Kharoshthi".split(" "),
    ..."Bhaiksuki Masaram_Gondi Gunjala_Gondi Dogra Nandinagari Ahom Soyombo Zanabazar_Square Kawi".split(" "),
    ..."Dives_Akuru Tibetan".split(" "),
  ]
    .map((script) => `\\p{Script=${script}}`)
    .join("")}]`,
  "u",
);
const MONGOLIAN_LETTER = /(?=\p{L})\p{Script=Mongolian}/u;
const MONGOLIAN_SELECTOR = /[\u180B-\u180D\u180F]/;
// Written without spaces: a break is where a zero-width one is.
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tai_Tham}]/u;
const HEBREW_MARK = /(?=\p{M})\p{Script=Hebrew}/u;
const LEADING_JAMO = /[\u1100-\u115E\uA960-\uA97C]/;
const VOWEL_JAMO = /[\u1161-\u11A7\uD7B0-\uD7C6]/;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const SHARED_MARK = /(?=\p{M})(?!\p{Default_Ignorable_Code_Point})\p{Script=Inherited}/u;

// Unicode 16, StandardizedVariants.txt, by the selector: first forms of mathematical symbols, zero, letters of some
// scripts, script capitals; both of these and of East Asian punctuation; all of compatibility ideographs.
const SYMBOL = String.raw`\u2205\u2229\u222A\u2268\u2269\u2272\u2273\u228A\u228B\u2293-\u2295\u2297\u229C\u22DA\u22DB`;
const MORE_SYMBOLS = String.raw`\u2A3C\u2A3D\u2A9D\u2A9E\u2AAC\u2AAD\u2ACB\u2ACC`;
const CAPITAL = String.raw`\u210B\u2110\u2112\u211B\u212C\u2130\u2131\u2133\u{1D49C}-\u{1D4B5}`;
const PUNCTUATION = String.raw`\u2018\u2019\u201C\u201D\u3001\u3002\uFF01\uFF0C\uFF0E\uFF1A\uFF1B\uFF1F`;
const LETTER = String.raw`\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Script=Manichaean}`;
const TURNED = String.raw`\p{Script=Egyptian_Hieroglyphs}`;
const SECOND_FORM = `${CAPITAL}${PUNCTUATION}${TURNED}\\p{Unified_Ideograph}`;
const SELECTABLE: readonly (readonly [RegExp, RegExp])[] = [
  [/^\uFE00$/, new RegExp(`[0\\uFF10${SYMBOL}${MORE_SYMBOLS}${LETTER}${SECOND_FORM}]`, "u")],
  [/^\uFE01$/, new RegExp(`[${SECOND_FORM}]`, "u")],
  [/^\uFE02$/, new RegExp(`[${TURNED}\\p{Unified_Ideograph}]`, "u")],
  [/^[\uFE03-\uFE06]$/, new RegExp(`[${TURNED}]`, "u")],
  // The registry of ideographic variants has them for ideographs alone.
  [/^[\u{E0100}-\u{E01EF}]$/u, /\p{Unified_Ideograph}/u],
];

// Digits and two signs are emoji of keycaps alone, and the emoji that came last have no other style
// (emoji-variation-sequences.txt of Unicode 16 ends at U+1F6F3).
const KEYCAP_BASE = /[0-9#*]/;
const KEYCAP = "\u20E3";
const STYLED_EMOJI = /(?![\u{1F6F4}-\u{1FFFF}])[\p{Emoji}\p{Extended_Pictographic}]/u;

/** Whether an invisible character of a text belongs to what stands around it. */
export function isPart(text: string, character: string, index: number): boolean {
  const before = characterBefore(text, index);
  const after = characterAt(text, index + character.length);
  switch (character) {
    case "\u200C":
    case "\u200D":
      if (EMOJI_END.test(before) && EMOJI.test(after)) return true;
      return MONGOLIAN_SELECTOR.test(before) || isSeenIn(SHAPED, baseBefore(text, index));
    case "\uFE0E":
    case "\uFE0F":
      return KEYCAP_BASE.test(before) ? after === KEYCAP : isSeenIn(STYLED_EMOJI, before);
    case "\u200B":
      return isSeenIn(UNSPACED, baseBefore(text, index)) && isSeenIn(UNSPACED, afterBreaks(text, index));
    case "\u034F":
      return HEBREW_MARK.test(before);
    case "\u115F":
      return VOWEL_JAMO.test(after);
    case "\u1160":
      return LEADING_JAMO.test(before);
    case "\u180E":
      return (MONGOLIAN_SELECTOR.test(before) || MONGOLIAN_LETTER.test(before)) && MONGOLIAN_LETTER.test(after);
    default:
      if (MONGOLIAN_SELECTOR.test(character)) return MONGOLIAN_LETTER.test(before);
      return SELECTABLE.some(([selector, bases]) => selector.test(character) && isSeenIn(bases, before));
  }
}

const isSeenIn = (characters: RegExp, character: string): boolean =>
  characters.test(character) && !INVISIBLE.test(character);

/** The character that marks of no script of their own stand on, as Arabic's vowels do. */
function baseBefore(text: string, index: number): string {
  let at = index;
  let character = characterBefore(text, at);
  while (SHARED_MARK.test(character)) {
    at -= character.length;
    character = characterBefore(text, at);
  }
  return character;
}

// Only the first of a run comes as far as this.
function afterBreaks(text: string, index: number): string {
  let at = index;
  while (text[at] === "\u200B") at++;
  return characterAt(text, at);
}

function characterBefore(text: string, index: number): string {
  const unit = text.slice(Math.max(0, index - 1), index);
  return /[\uDC00-\uDFFF]/.test(unit) ? text.slice(Math.max(0, index - 2), index) : unit;
}

function characterAt(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? "" : String.fromCodePoint(code);
}
