// Where toasts go so that they cover nothing that is in use.

/** From its upper edge to its lower one, in pixels of the window. */
export interface Stretch {
  top: number;
  bottom: number;
}

const ROOM_PX = 8;

/**
 * The upper edge of toasts of this height: as low in the window as they cover none of what is to be seen, or, where there
 * is no such place, where the most room is.
 */
export function placeToasts(height: number, window: Stretch, seen: readonly Stretch[]): number {
  const gaps = gapsBetween(window, seen).toReversed();
  const needed = height + 2 * ROOM_PX;
  const fitting = gaps.find((gap) => sizeOf(gap) >= needed);
  const chosen = fitting ?? gaps.reduce((best, gap) => (sizeOf(gap) > sizeOf(best) ? gap : best));
  return Math.max(chosen.bottom - ROOM_PX - height, window.top + ROOM_PX);
}

const sizeOf = ({ top, bottom }: Stretch): number => bottom - top;

/** What the window has between them, from the top on; the last reaches its end. */
function gapsBetween(window: Stretch, seen: readonly Stretch[]): Stretch[] {
  const gaps: Stretch[] = [];
  let top = window.top;
  for (const each of seen.toSorted((a, b) => a.top - b.top)) {
    if (each.bottom <= window.top || each.top >= window.bottom) continue;
    gaps.push({ top, bottom: Math.max(each.top, top) });
    top = Math.max(top, each.bottom);
  }
  return [...gaps, { top, bottom: Math.max(window.bottom, top) }];
}
