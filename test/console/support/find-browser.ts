import { existsSync } from "node:fs";

export const NO_BROWSER =
  "there is no Chromium. Install it (apt-get install chromium), or say in CHROMIUM where it is.";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/opt/google/chrome/chrome",
];

/**
 * Where a Chromium is. Without one the console's tests are left out on a developer's machine; in CI (`CI` is set) they
 * are run all the same, and fail.
 */
export const findBrowser = (): string | undefined =>
  process.env["CHROMIUM"] ??
  PLACES.find((path) => existsSync(path)) ??
  (process.env["CI"] === undefined ? undefined : PLACES[0]);
