// Where on Earth a request came in, in the words that Cloudflare takes as location hints for objects.

export const REGIONS = [
  "wnam",
  "enam",
  "sam",
  "weur",
  "eeur",
  "apac",
  "oc",
  "afr",
  "me",
] as const satisfies DurableObjectLocationHint[];
export type Region = (typeof REGIONS)[number];

/** Cloudflare's location hints by continent; the wide continents are split by longitude. */
export function regionOf(cf: Request["cf"]): Region {
  const longitude = Number(cf?.["longitude"] ?? 0);
  switch (cf?.["continent"]) {
    case "NA":
      return longitude < -100 ? "wnam" : "enam";
    case "SA":
      return "sam";
    case "AS":
      return longitude < 60 ? "me" : "apac";
    case "OC":
      return "oc";
    case "AF":
      return "afr";
    default:
      return longitude > 15 ? "eeur" : "weur";
  }
}
