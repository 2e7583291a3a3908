// How sure contacts are: of those that were found, frame by frame; where they are in doubt; and what is not known.

import { computed, signal } from "@preact/signals";
import type { Doubt, Stretch, Touch } from "../messages";
import { frame, notice, type PhysicsData } from "../store";
import { equalTouches, tidy } from "./contacts";
import { goTo, stop } from "./playback";
import { contactSource, touches } from "./touch_state";
import { bringIntoSight } from "./view";
import { partName } from "./words";

/** Percentages at which a bar gets paler, and how much of its colour is left, from below the first to above the last: as in reports. */
const LEVELS = [50, 65, 80, 95];
const STRENGTHS = [0.1, 0.25, 0.45, 0.7, 1];

/** Of parts whose bars the user has changed, nothing is in doubt any more. */
export const doubts = computed<Doubt[]>(() => {
  const { touches: found = [], parts = [], doubts: all = [] } = contactSource.value?.message ?? {};
  const settled = tidy(found, parts);
  const of = (bars: Touch[], part: string) => bars.filter((each) => each.part === part);
  return all.filter(({ part }) => equalTouches(of(settled, part), of(touches.value, part)));
});
export const unknown = computed<Stretch[]>(() => contactSource.value?.message.unknown ?? []);

/** Percentages of a bar's frames; null where nobody knows, and where the bar is the user's. */
export function confidenceOf(source: PhysicsData | null, touch: Touch): Uint8Array | null {
  const rows = source?.arrays.confidence as Uint8Array | undefined;
  if (!source || !rows?.length) return null;
  const [count, frames] = source.message.arrays.find((each) => each.name === "confidence")!.shape as [number, number];
  const row = source.message.parts.indexOf(touch.part);
  if (row < 0 || row >= count || !source.message.touches.some((each) => equalTouches([each], [touch]))) return null;
  return rows.subarray(row * frames + touch.first, row * frames + touch.last + 1);
}

const strengthOf = (percent: number): number => STRENGTHS[LEVELS.filter((each) => percent >= each).length]!;

/** What lies over a bar so that it is the paler the less sure it is; empty where all of it is sure. */
export function paleness(percents: Uint8Array): string {
  const stops: string[] = [];
  let [from, strength, isPale] = [0, strengthOf(percents[0]!), false];
  for (let i = 1; i <= percents.length; i += 1) {
    const next = i < percents.length ? strengthOf(percents[i]!) : NaN;
    if (next === strength) continue;
    const [start, end] = [from, i].map((each) => ((100 * each) / percents.length).toFixed(2));
    stops.push(`color-mix(in srgb, var(--panel) ${Math.round(100 * (1 - strength))}%, transparent) ${start}% ${end}%`);
    isPale ||= strength < 1;
    [from, strength] = [i, next];
  }
  return isPale ? `linear-gradient(to right, ${stops.join(", ")})` : "";
}

export const mean = (percents: Uint8Array): number => Math.round(percents.reduce((a, b) => a + b, 0) / percents.length);

const framesOf = ({ first, last }: Stretch): string => (first === last ? `frame ${first}` : `frames ${first} to ${last}`);

export function doubtInWords(doubt: Doubt): string {
  return `${partName(doubt.part)} in doubt, ${framesOf(doubt)}: ${doubt.percent} % sure at least`;
}

export function unknownInWords(stretch: Stretch): string {
  return `Something that is not known carries the body, ${framesOf(stretch)}`;
}

const visited = signal<Doubt | null>(null);
/** The doubt that was gone to last, in words, as long as the cursor is in it. */
export const visitedInWords = computed(() => {
  const [doubt, at] = [visited.value, Math.round(frame.value)];
  return doubt && doubts.value.includes(doubt) && at >= doubt.first && at <= doubt.last ? doubtInWords(doubt) : "";
});

/** To the next contact in doubt, or the one before (-1); round at the ends. */
export function goToDoubt(direction: 1 | -1): void {
  const all = doubts.peek();
  if (!all.length) return notice(contactSource.peek()?.arrays.confidence ? "No contact is in doubt." : "Nobody knows how sure these contacts are: they were given, or found by heights and speeds.");
  stop();
  const here = Math.round(frame.peek());
  // Several may begin in one frame: from the one that was gone to, the next in the list.
  const known = visited.peek();
  const at = known?.first === here ? all.indexOf(known) : -1;
  const before = all.filter((each) => each.first < here).length;
  const upToHere = all.filter((each) => each.first <= here).length;
  const after = at >= 0 ? at + direction : direction > 0 ? upToHere : before - 1;
  const next = all[(after + all.length) % all.length]!;
  visited.value = next;
  goTo(next.first);
  bringIntoSight(next.first);
  document.querySelector(`[data-testid="tl-lane-${next.part}"]`)?.scrollIntoView({ block: "nearest" });
}
