// Edges that are dragged keep to whole frames, and to the cursor and other edges that are near.

import { frame } from "../store";
import { touches } from "./touch_state";
import { pixels } from "./view";
import { stages, timedWishes } from "./wish_state";

const NEAR_PX = 7;

/** Frames that the first and the last frame of a bar may snap to. */
export interface Targets { first: number[]; last: number[] }

/** What can be snapped to, as things are when a drag begins; `own` is left out. */
export function snapTargets(own: { touch?: number; wish?: number }): Targets {
  const bars: { first: number; last: number }[] = [
    ...touches.peek().filter((_, i) => i !== own.touch),
    ...timedWishes.peek().filter((each) => each.wish.index !== own.wish && !each.timing.all).map((each) => each.timing),
    ...stages.peek(),
  ];
  const cursor = Math.round(frame.peek());
  return {
    first: [cursor, ...bars.flatMap((each) => [each.first, each.last + 1])],
    last: [cursor, ...bars.flatMap((each) => [each.last, each.first - 1])],
  };
}

/** How far to go on to the nearest target, or null where none is near. */
function pull(at: number, targets: number[]): number | null {
  let best: number | null = null;
  for (const each of targets)
    if (Math.abs(each - at) * pixels.peek() <= NEAR_PX && (best === null || Math.abs(each - at) < Math.abs(best)))
      best = each - at;
  return best;
}

/** A frame for one edge; `free` (Shift) only rounds. */
export function snapEdge(at: number, targets: number[], free: boolean): number {
  const by = free ? null : pull(at, targets);
  return Math.round(by === null ? at : at + by);
}

/** How far a whole bar moves: by whole frames, one of its edges on a target if that is near. */
export function snapMove(first: number, last: number, by: number, targets: Targets, free: boolean): number {
  if (free) return Math.round(by);
  const pulls = [pull(first + by, targets.first), pull(last + by, targets.last)];
  const near = pulls.filter((each) => each !== null).sort((a, b) => Math.abs(a) - Math.abs(b))[0];
  return Math.round(near === undefined ? by : by + near);
}
