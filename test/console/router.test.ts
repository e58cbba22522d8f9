import * as fc from "fast-check";
import { expect, it } from "vitest";
import { hrefOf, parsePlace } from "../../src/console/router.ts";

it("finds a place again by its address, whatever it is called", () => {
  const part = fc.string({ unit: "grapheme", minLength: 1 });
  fc.assert(
    fc.property(fc.array(part), fc.dictionary(part, fc.string()), (parts, query) => {
      const place = parsePlace(hrefOf(parts, query));
      expect([place.parts, Object.fromEntries(place.query)]).toEqual([parts, { ...query }]);
    }),
  );
});

it("takes an address that nobody made as it stands", () => {
  expect(parsePlace("#/tools/%E0%A4%A").parts).toEqual(["tools", "%E0%A4%A"]);
});
