import { expect, it } from "vitest";
import { checkCodeSource } from "../../../src/tools/code-tool/check-code-source.ts";

it("takes hosts that the guard would let a module reach, and secrets that can be set", () => {
  const source = { egress: ["api.example.com", "files.example.com:443", "127.0.0.1:9000"], secrets: ["TOKEN", "_a1"] };
  expect(checkCodeSource(source, { allow: "127.0.0.1:9000", ownHosts: ["gate.example"] })).toEqual([]);
  expect(checkCodeSource({})).toEqual([]);
});

const opens = (host: string): string =>
  `; EGRESS_ALLOW=${host} opens this host: a line in .dev.vars or the environment of npm start, then a new start; a deployment has no route to it`;

it.each([
  ["10.0.0.1", `the host must be a public name, not an IP address or a single word${opens("10.0.0.1:443")}`],
  ["169.254.169.254", "the host must be a public name, not an IP address or a single word"],
  ["0x7f.1:9000", `the port must be 443${opens("127.0.0.1:9000")}`],
  ["metadata", "the host must be a public name, not an IP address or a single word"],
  ["metadata.google.internal", "the host is a local or private name"],
  ["api.example.com:8443", "the port must be 443"],
  ["gate.example", "it is this server itself"],
  ["example.com:99999", "it is not a host"],
])("refuses the host %s", (host, reason) => {
  expect(checkCodeSource({ egress: ["api.example.com", host] }, { ownHosts: ["gate.example"] })).toEqual([
    { path: "egress.1", message: `host refused: ${reason}` },
  ]);
});

it.each(["", "a-b", "1A", "A".repeat(65)])("refuses the secret name %j", (name) => {
  expect(checkCodeSource({ secrets: [name] })).toEqual([
    { path: "secrets.0", message: "expected ^[A-Za-z_][A-Za-z0-9_]{0,63}$" },
  ]);
});
