// Builds the console before any test, since the Worker that the tests start serves it.

import { execFileSync } from "node:child_process";

export default function setup(): void {
  execFileSync("npm", ["run", "--silent", "build:console"], { stdio: "inherit" });
}
