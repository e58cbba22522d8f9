// Builds the console and the Worker before any test: as they are deployed, so tests start them.

import { execFileSync } from "node:child_process";

export default function setup(): void {
  execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
}
