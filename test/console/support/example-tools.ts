/** Tools of a harbour, to show what the console makes of records. */
export const EXAMPLE_TOOLS = {
  find_ship: {
    title: "Find ship",
    description: "Finds a ship by its call sign. Use it before any statement about where a ship is.",
    inputSchema: {
      type: "object",
      properties: {
        sign: { type: "string", description: "Its call sign.", minLength: 3, maxLength: 7 },
        fields: { type: "array", items: { type: "string", enum: ["position", "cargo", "crew"] } },
        window: {
          type: "object",
          description: "Only what was reported then.",
          properties: {
            from: { type: "string", format: "date-time" },
            hours: { type: "integer", minimum: 1, maximum: 48 },
          },
          required: ["from"],
        },
      },
      required: ["sign"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
    source: {
      kind: "http",
      method: "GET",
      url: "https://api.harbour.example/ships/{sign}",
      query: { fields: "{fields}" },
      headers: { authorization: "Bearer {{secret:HARBOUR_TOKEN}}" },
    },
  },
  free_berth: {
    title: "Free berth",
    description: "Frees a berth for good, with all that was booked there.",
    inputSchema: { type: "object", properties: { berth: { type: "string" } }, required: ["berth"] },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    source: { kind: "http", method: "DELETE", url: "https://api.harbour.example/berths/{berth}" },
  },
  load_cargo: {
    title: "Load cargo",
    description: "Loads crates onto a ship, and tells how it goes.",
    inputSchema: {
      type: "object",
      properties: { crates: { type: "integer", description: "How many.", minimum: 1, maximum: 100, default: 12 } },
    },
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    source: {
      kind: "code",
      module: `export default async ({ crates = 12 }, ctx) => {
  for (let crate = 1; crate <= crates; crate++) {
    ctx.progress(crate, crates, \`crate \${crate}\`);
    ctx.log(crate % 4 === 0 ? "warning" : "info", { crate, tons: 2 + (crate % 3) });
    await new Promise((done) => setTimeout(done, 200));
  }
  return { structuredContent: { crates } };
};
`,
    },
  },
};
