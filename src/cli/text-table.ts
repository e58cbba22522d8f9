/** Rows under a heading, in aligned columns two spaces apart. A column that is empty in every row is left out. */
export function textTable(heading: string[], rows: string[][]): string {
  const shown = heading.map((_, column) => rows.some((row) => (row[column] ?? "") !== ""));
  const lines = [heading.map((title) => title.toUpperCase()), ...rows].map((row) =>
    row.filter((_, column) => shown[column]),
  );
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => padLine(line, widths)).join("\n");
}

/** Names and values, one pair a line, the values aligned. Pairs without a value are left out. */
export function textFields(pairs: [string, string][]): string {
  const shown = pairs.filter(([, value]) => value !== "");
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}

function padLine(line: string[], widths: number[]): string {
  return line
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join("  ")
    .trimEnd();
}
