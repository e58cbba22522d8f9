import type { Icon } from "../content.ts";

/** An icon that costs a tool's list some hundred bytes and no request. */
export const emojiIcon = (emoji: string): Icon => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><text y="19" font-size="19">${emoji}</text></svg>`;
  return { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, mimeType: "image/svg+xml", sizes: ["any"] };
};
