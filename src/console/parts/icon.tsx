import type { JSX } from "preact";

/** Lines on a grid of 24. */
const PATHS = {
  gate: "M4 21V11a8 8 0 0 1 16 0v10M12 3v18M4 14h16",
  tools: "M14.5 6.5a4 4 0 0 0 5 5L12 19a2.1 2.1 0 0 1-3 0l-4-4a2.1 2.1 0 0 1 0-3zM4 20l2.5-2.5",
  live: "M3 12h4l3-8 4 16 3-8h4",
  keys: "M15 9a5 5 0 1 1-4.2 7.7L3 21v-4l6.4-4.6A5 5 0 0 1 15 9zM16 13h.01",
  audit: "M6 3h9l4 4v14H6zM9 11h6M9 15h6M9 7h3",
  upstreams: "M12 21v-6M7 3v5M17 3v5M5 8h14v2a7 7 0 0 1-14 0z",
  secrets: "M6 11h12v10H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11M12 15v2",
  search: "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16.5 16.5L21 21",
  plus: "M12 5v14M5 12h14",
  check: "M4 12.5l5 5L20 6.5",
  cross: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  play: "M7 4.5l12 7.5-12 7.5z",
  stop: "M6 6h12v12H6z",
  warning: "M12 4l9 16H3zM12 10v4M12 17h.01",
  leave: "M14 4h6v16h-6M10 8l-4 4 4 4M6 12h9",
  up: "M12 20V6M6 11l6-6 6 6",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside words that say the same; screen readers pass it over. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }): JSX.Element => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.8"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
);
