// Edits of contact bars: each takes all of them and returns new ones in the same order.
//
// Bars of one part never overlap: moved or stretched, a bar stops at its neighbours. The server keeps
// what touches frame by frame, so bars of the same kind with no frame between them are one bar: tidy()
// joins them, and a split leaves one frame free.

import type { Touch } from "../messages";

export type Edge = "first" | "last";

const same = (a: Touch, b: Touch): boolean => a.part === b.part && !a.sliding === !b.sliding;

/** In the order that the server has them (part, standing before sliding, time); what meets is joined. */
export function tidy(touches: Touch[], parts: string[]): Touch[] {
  const rank = (part: string) => (parts.includes(part) ? parts.indexOf(part) : parts.length);
  const sorted = touches.map((each) => ({ ...each, sliding: !!each.sliding })).sort((a, b) =>
    rank(a.part) - rank(b.part) || Number(a.sliding) - Number(b.sliding) || a.first - b.first);
  const joined: Touch[] = [];
  for (const each of sorted) {
    const last = joined.at(-1);
    if (last && same(last, each) && each.first <= last.last + 1) last.last = Math.max(last.last, each.last);
    else joined.push(each);
  }
  return joined;
}

/** First and last frame that a bar may cover. */
export function room(touches: Touch[], index: number, frames: number): [number, number] {
  const own = touches[index]!;
  let [low, high] = [0, frames - 1];
  touches.forEach((each, i) => {
    if (i === index || each.part !== own.part) return;
    if (each.last < own.first) low = Math.max(low, each.last + 1);
    else if (each.first > own.last) high = Math.min(high, each.first - 1);
  });
  return [low, Math.max(low, high)];
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high));

function changed(touches: Touch[], index: number, values: Partial<Touch>): Touch[] {
  return touches.map((each, i) => (i === index ? { ...each, ...values } : each));
}

export function moveTouch(touches: Touch[], index: number, by: number, frames: number): Touch[] {
  const own = touches[index]!;
  const [low, high] = room(touches, index, frames);
  const length = own.last - own.first;
  const first = clamp(own.first + by, low, Math.max(low, high - length));
  return changed(touches, index, { first, last: Math.min(high, first + length) });
}

export function stretchTouch(
  touches: Touch[], index: number, edge: Edge, to: number, frames: number,
): Touch[] {
  const own = touches[index]!;
  const [low, high] = room(touches, index, frames);
  if (edge === "first") return changed(touches, index, { first: clamp(to, low, own.last) });
  return changed(touches, index, { last: clamp(to, own.first, high) });
}

/** Two bars with one free frame between them; null where a bar is too short for that. */
export function splitTouch(touches: Touch[], index: number, at: number): Touch[] | null {
  const own = touches[index];
  if (!own || own.last - own.first < 2) return null;
  const free = clamp(at, own.first + 1, own.last - 1);
  const halves = [{ ...own, last: free - 1 }, { ...own, first: free + 1 }];
  return touches.flatMap((each, i) => (i === index ? halves : [each]));
}

export function removeTouch(touches: Touch[], index: number): Touch[] {
  return touches.filter((_, i) => i !== index);
}

export function toggleSliding(touches: Touch[], index: number): Touch[] {
  return changed(touches, index, { sliding: !touches[index]!.sliding });
}

/** One more bar around a free frame, as far as there is room; null where something touches already. */
export function addTouch(touches: Touch[], part: string, from: number, to: number, frames: number): Touch[] | null {
  const start = clamp(from, 0, frames - 1);
  if (touches.some((each) => each.part === part && each.first <= start && each.last >= start)) return null;
  const added = [...touches, { part, first: start, last: start, sliding: false }];
  const [low, high] = room(added, added.length - 1, frames);
  return changed(added, added.length - 1, {
    first: clamp(Math.min(start, to), low, high), last: clamp(Math.max(start, to), low, high),
  });
}

/** Where a bar went when all were put in order. */
export function indexOfTouch(touches: Touch[], wanted: Touch): number {
  return touches.findIndex((each) => same(each, wanted) && each.first <= wanted.first && each.last >= wanted.last);
}

export function equalTouches(a: Touch[], b: Touch[]): boolean {
  return a.length === b.length && a.every((each, i) => {
    const other = b[i]!;
    return same(each, other) && each.first === other.first && each.last === other.last;
  });
}
