import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { htmlToText } from "../../../src/tools/builtin/html-text.ts";
import { readStyle } from "../../../src/tools/builtin/hiding-style.ts";
import { ToolError } from "../../../src/tools/tool-error.ts";

const shownOf = (html: string): [string, number] => {
  const { text, hidden } = htmlToText(html);
  return [text, hidden];
};

describe("an element that is hidden ends where HTML ends it", () => {
  test.each<[string, string, string]>([
    ["p", "<body><p hidden>S<p>v1<p>v2</body>", "v1\n\nv2"],
    ["p before a block", "<p hidden>S<div>v</div>", "v"],
    ["p before a rule", "<p hidden>S<hr>v", "v"],
    ["p not before what is inline", "<p hidden>S<b>S</b><p>v", "v"],
    ["p not within a button", "<p hidden>S<button><p>S</button><p>v", "v"],
    ["p with an open element", "<p hidden>S<span>S<p>v", "v"],
    ["li", "<ul><li hidden>S<li>v</ul>w", "v\nw"],
    ["li, but not by one of a list inside", "<ul><li hidden>S<ul><li>S</ul>S<li>v</ul>", "v"],
    ["li through a div", "<ul><li hidden><div>S<li>v</ul>", "v"],
    ["dt and dd", "<dl><dt hidden>S<dd>v<dd hidden>S<dt>w</dl>", "v\nw"],
    ["tr", "<table><tr hidden><td>S<tr><td>v</table>", "v"],
    ["td and th", "<table><tr><td hidden>S<th>v<th hidden>S<td>w</table>", "v w"],
    ["td, with what is formatted inside", "<table><tr><td><b hidden>S<td>v</table>", "v"],
    ["td, but not by one of a table inside", "<table><tr><td hidden>S<table><tr><td>S</table>S<td>v</table>", "v"],
    ["thead", "<table><thead hidden><tr><td>S<tbody><tr><td>v</table>", "v"],
    ["tbody and tfoot", "<table><tbody hidden><tr><td>S<tfoot><tr><td>v<tbody><tr><td>w</table>", "v\nw"],
    ["caption", "<table><caption hidden>S<tr><td>v</table>", "v"],
    ["option", "<select><option hidden>S<option>v</select>", "v"],
    ["optgroup", "<select><optgroup hidden><option>S<optgroup><option>v</select>", "v"],
    ["rp and rt", "<ruby>v<rp hidden>S<rt>w<rp hidden>S</ruby>x", "vwx"],
    ["a heading", "<h1 hidden>S<h2>v</h2>", "v"],
    ["a heading by the end of another", "<h1 hidden>S</h2>v", "v"],
    ["a", "<a hidden>S<a>v</a>", "v"],
    ["an element whose parent ends", "<div><span hidden>S</div>v", "v"],
    ["not by an end tag that reaches over a block", "<span hidden><div>S</span>S</div></span>v", "v"],
    ["not by an end tag in a cell", "<div hidden><table><tr><td></div>S</table></div>v", "v"],
    ["what formats, with a block inside", "<div><b hidden><div>S</b>v</div>w</div>", "v\nw"],
    ["what formats goes on behind a block", "<p><b hidden>S</p>S</b>v", "v"],
    ["SVG by HTML", '<svg display="none"><text>S<p>v', "v"],
    ["SVG by the end of a paragraph", '<svg display="none"><text>S</p>v', "v"],
    ["a select by a field", "<select hidden><option>S<textarea>v</textarea>", "v"],
    ["a form inside a form is none", "<form>v<form hidden>w</form>x", "vw\nx"],
    ["an element of SVG that closes itself", "<svg><desc/><text>v</text></svg>", "v"],
  ])("%s", (_, html, text) => {
    expect(htmlToText(html).text).toBe(text);
  });
});

describe("what is no tag, no comment and no attribute", () => {
  test.each<[string, string, string, number]>([
    ["a comment of nothing", "<!-->v-->", "v-->", 1],
    ["a comment of a dash", "<!--->v", "v", 1],
    ["a comment that ends with a bang", "<!-- x --!>v", "v", 1],
    ["a quote in a value without quotes", '<a href=/s?q=">v1</a>v2', "v1v2", 0],
    ["a comment in a text area", "<textarea><!--</textarea>v<b>w</b>", "<!--vw", 0],
    ["a comment in a style", "<style><!--</style>v", "v", 0],
    ["CDATA in SVG", "<svg><text><![CDATA[v<b>]]></text></svg>", "v<b>", 0],
    ["CDATA in HTML", "a<![CDATA[x]]>b", "ab", 1],
    ["CDATA in HTML in SVG", "<svg><foreignObject><![CDATA[x]]>v</foreignObject></svg>", "v", 1],
    ["the first of two attributes", '<i style="" style="display:none">v</i>', "v", 0],
  ])("%s", (_, html, text, hidden) => {
    expect(shownOf(html)).toEqual([text, hidden]);
  });

  test("a comment in a title", () => {
    expect(htmlToText("<title><!--</title> v <b>--></b>")).toEqual({ title: "<!--", text: "v -->", hidden: 0 });
  });
});

const styled = (style: string): string => `<i style="${style}">S</i>v`;

const HIDING_STYLES = (
  "font:1px serif | font:italic .01em/2 a | font-size:1.9px | font-size:1pt | font-size:.5mm | " +
  "font-size:1% | font-size:.01em | font-size:calc(1px - 1px) | font-size:calc(0 * 1em) | " +
  "opacity:calc(0) | height:0;overflow:hidden | width:0;overflow:hidden | overflow:clip;max-height:0px | " +
  "position:absolute;width:1px;height:1px;overflow:hidden | text-indent:-999px | text-indent:-9999em | " +
  "position:absolute;left:-999px | position:fixed;top:-10000px | margin-left:-9999px | " +
  "clip-path:inset(100%) | clip-path:inset(50%) | clip-path:inset(0 100% 0 0) | clip-path:circle(0) | " +
  "clip:rect(0 0 0 0) | clip:rect(0,0,0,0) | clip:rect(1px,1px,1px,1px) | transform:scale(0) | " +
  "transform:rotate(3deg) scaleX(0) | transform:translate(-9999px, 0) | scale:0 | " +
  "transform:matrix(0,0,0,0,0,0) | color:transparent | color:rgba(0,0,0,0) | color:rgb(0 0 0 / 0%) | " +
  "color:#0000 | color:#00000000 | filter:opacity(0) | filter:blur(0) opacity(5%)"
).split(" | ");

describe("is hidden", () => {
  test.each<[string, string]>([
    ["a colon as a name", styled("display&colon;none")],
    ["a semicolon as a name", styled("color:red&semi;display:none")],
    ["a reference without a semicolon", styled("display:n&#111ne")],
    ["a hexadecimal one", styled("display:n&#x6Fne")],
    ["a tab as a name", styled("display:&Tab;none")],
    ["the last declaration", styled("display:block;display:none")],
    ["an important one", styled("display:none!important;display:block")],
    ["one that something invalid follows", styled("display:none;display:nope")],
    ["a popover", "<div popover>S</div>v"],
    ...["object", "progress", "meter", "video", "audio", "canvas", "iframe"].map((name): [string, string] => [
      `what stands in for ${name}`,
      `<${name}>S</${name}>v`,
    ]),
    ...["desc", "metadata", "defs"].map((name): [string, string] => [name, `<svg><${name}>S</${name}></svg>v`]),
    ["an annotation", "<math><semantics><annotation>S</annotation></semantics></math>v"],
    ["SVG by display", '<svg><text display="none">S</text></svg>v'],
    ["SVG by visibility", '<svg><text visibility="hidden">S</text></svg>v'],
    ["SVG by opacity", '<svg opacity="0"><text>S</text></svg>v'],
    ...HIDING_STYLES.map((style): [string, string] => [style, styled(style)]),
  ])("%s", (_, html) => {
    expect(shownOf(html)).toEqual(["v", 1]);
  });
});

describe("is seen", () => {
  test.each<[string, string, string]>([
    [
      "what is visible in what is not",
      styled('visibility:hidden">S<b style="visibility:visible">w</b>x</i><i a="'),
      "wSv",
    ],
    ["a size in a size of nothing", '<p style="font-size:0">S<b style="font-size:12px">v</b>S', "v"],
    ["but not a share of nothing", '<p style="font-size:0">S<b style="font-size:2em">S</b></p>v', "v"],
    ["a colour in a transparent one", '<p style="color:transparent">S<b style="color:red">v</b>S', "v"],
    ["display that is taken back", styled("display:none;display:block"), "Sv"],
    ["important display", styled("display:block !important;display:none"), "Sv"],
    ["text that is filled with its background", styled("color:transparent;background-clip:text"), "Sv"],
    ["a size of nothing that shows what runs over", styled("height:0"), "Sv"],
    ["what runs over", styled("overflow:hidden;height:10px"), "Sv"],
    ["small moves", styled("text-indent:-10px;left:-998px;transform:scale(.5) translate(-50%,-50%)"), "Sv"],
    ["clips of a part", styled("clip-path:inset(10% 20%);clip:rect(0,100px,100px,0)"), "Sv"],
    ["letters of 2 pixels", styled("font-size:2px"), "Sv"],
    ["weights", styled("font:100 12px/0 a"), "Sv"],
    ["colours", styled("color:#000;background:rgba(0,0,0,0);opacity:calc(.5 + .2)"), "Sv"],
    ["an attribute of SVG on HTML", '<i display="none">v</i>', "v"],
  ])("%s", (_, html, text) => {
    expect(htmlToText(html).text).toBe(text);
  });
});

const hides = (style: string): boolean => readStyle(style).hides;
const padded = (length: number): string => "color:red;".padEnd(length, " ");

const fill = (start: string, piece: string, length: number): string =>
  start + piece.repeat(Math.ceil(length / piece.length)).slice(0, length - start.length - 1) + "x";

describe("limits", () => {
  test("a style below and at its limit is looked at, above it hides", () => {
    const { pageStyleChars } = LIMITS;
    expect([-1, 0, 1].map((more) => hides(padded(pageStyleChars + more)))).toEqual([false, false, true]);
  });

  const TOO_COMPLEX = new ToolError('The page\'s markup is too complex to be read as text: ask for format "html".');

  test.each<[string, number, (count: number) => string]>([
    ["attributes", LIMITS.pageTagAttributes, (count) => `<i${" a".repeat(count)}>v`],
    ["depth", LIMITS.pageDepth, (count) => `${"<i>".repeat(count)}v`],
  ])("%s below and at their limit are read, above it refused", (_, limit, page) => {
    expect([limit - 1, limit].map((count) => htmlToText(page(count)).text)).toEqual(["v", "v"]);
    expect(() => htmlToText(page(limit + 1))).toThrow(expect.objectContaining({ message: TOO_COMPLEX.message }));
  });
});

// Each page has a style at the limit for each of its megabyte's parts: what is quadratic in a style's length, or in the
// page's, takes hours, not seconds.
describe("a megabyte of hostile styles is read in steps that grow with it alone", () => {
  const PIECES = [
    "0",
    ".",
    " ",
    "/",
    ";",
    ":",
    "(",
    "a",
    "-",
    ")",
    "*",
    "!",
    "\\",
    "/*",
    ",",
    "calc(",
    "rect(0",
    "1px ",
    "0.",
    "-(",
    "0 /",
    "a:",
  ];
  const PROPERTIES = (
    "display visibility content-visibility opacity font-size font height text-indent left " +
    "clip-path clip transform scale filter color overflow background-clip"
  ).split(" ");

  test.each(PROPERTIES)("%s", (property) => {
    for (const piece of PIECES) {
      for (const start of [`${property}:`, `${property}:0 `, `${property}:calc(`]) {
        const style = fill(start, piece, LIMITS.pageStyleChars);
        const copies = piece === "0" ? 16 : 2;
        expect(htmlToText(`<i style='${style}'></i>`.repeat(copies) + "v").text).toBe("v");
      }
    }
  });
});

describe("a megabyte of hostile markup is read in steps that grow with it alone", () => {
  const MANY = 9_000;
  test.each<[string, string]>([
    ["end tags that find nothing", `${"<b>".repeat(MANY)}${"</i>".repeat(200_000)}`],
    ["end tags that reach nothing", `<span>${"<div>".repeat(MANY)}${"</span>".repeat(120_000)}`],
    ["paragraphs out of reach", `<p><button>${"<b>".repeat(MANY)}${"<hr>".repeat(200_000)}`],
    ["what formats and goes on", `${"<p><b hidden>x".repeat(70_000)}`],
    ["what formats around blocks", `${"<b>".repeat(MANY / 2)}${"<div>".repeat(MANY / 2)}${"</b>".repeat(200_000)}`],
    ["declarations inside each other", `${'<i style="color:red">'.repeat(MANY)}${"</i><i>x".repeat(100_000)}`],
    ["cells out of reach", `<table><tr><td><table>${"<b>".repeat(MANY)}${"<col>".repeat(150_000)}`],
    ["names", Array.from({ length: 9_000 }, (_, index) => `<x${index}></y${index}>`).join("")],
    ["SVG", `${"<svg><g>".repeat(MANY / 2)}${"<path/>".repeat(100_000)}`],
  ])("%s", (_, html) => {
    expect(typeof htmlToText(html).text).toBe("string");
  });
});
