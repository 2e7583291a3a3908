// When a constraint holds, read from and written to its values (keys: docs/recipes.md; the meaning of
// seconds: src/poise/job/timing.py). Edits are kept within what the server accepts.

import type { Stage } from "../messages";
import { intervalOf, type Wish } from "../recipe";

export interface Passed { frame: number; until: number | null }
export interface Timing {
  /** Bars can be changed; a moment is one frame; a stage's time is not the constraint's to change. */
  kind: "interval" | "moment" | "stage";
  first: number;
  last: number;
  easeIn: number;
  easeOut: number;
  /** `frames: all` */
  all: boolean;
  /** Places that a curve passes, or keys of a displacement. */
  through: Passed[];
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high));
const nearest = (second: number, rate: number): number => Math.floor(second * rate + 0.5);
const pair = (value: any): [number, number] => (Array.isArray(value) ? [value[0], value[1]] : [value, value]);

export function timingOf(wish: Wish, frames: number, rate: number, stages: Stage[] = []): Timing {
  const { kind, values } = wish;
  const none = { easeIn: 0, easeOut: 0, all: false, through: [] };
  if (kind === "hit_at") {
    const at = values.frame ?? nearest(Number(values.second ?? 0), rate);
    return { ...none, kind: "moment", first: at, last: at };
  }
  const among = stagesOf(kind, values, stages);
  if (among) {
    const [first, last] = among.length
      ? [among[0]!.first, among.at(-1)!.last] : [0, Math.max(0, frames - 1)];
    return { ...none, kind: "stage", first, last };
  }
  const all = values.frames == null ? values.seconds == null : !Array.isArray(values.frames);
  // A plant has a `frame` too, which is not its interval.
  const [first, last] = all ? [0, Math.max(0, frames - 1)] : intervalOf(values, frames, rate);
  const eased = values.ease_seconds != null
    ? pair(values.ease_seconds).map((s) => nearest(s, rate)) : pair(values.ease ?? 0);
  return fitEase({
    kind: "interval", first, last, easeIn: eased[0] ?? 0, easeOut: eased[1] ?? 0, all, through: pointsOf(wish, rate),
  });
}

/** Whether the centre of mass is displaced by keys, and not all the time by the same. */
const isKeyed = ({ kind, values }: Wish): boolean =>
  kind === "place_center_of_mass" && Array.isArray(values.displacement_m?.[0]);

function pointsOf(wish: Wish, rate: number): Passed[] {
  const { kind, values } = wish;
  if (isKeyed(wish)) return (values.displacement_m as [number, unknown][]).map(([frame]) => ({ frame, until: null }));
  if (kind !== "follow_curve") return [];
  return ((values.through ?? []) as Record<string, any>[]).map((each) => ({
    frame: each.frame ?? nearest(each.second ?? 0, rate),
    until: each.until ?? (each.until_second == null ? null : nearest(each.until_second, rate)),
  }));
}

/** What a constraint does at its points. */
export function pointWord({ kind }: Wish): string {
  return kind === "place_center_of_mass" ? "is displaced" : "passes a place";
}

/** What to change in a constraint's values so that it has one point less; null: it has no other. */
export function withoutPoint(wish: Wish, point: number): Record<string, any> | null {
  const name = isKeyed(wish) ? "displacement_m" : "through";
  const left = ((wish.values[name] ?? []) as unknown[]).filter((_, i) => i !== point);
  return left.length ? { [name]: left } : null;
}

/** Stages that a constraint of a leap is about; null for other constraints. */
function stagesOf(kind: string, values: Record<string, any>, stages: Stage[]): Stage[] | null {
  const flights = stages.filter((each) => each.name === "flight");
  const pick = (from: Stage[], which: number) => from.slice(which, which === -1 ? undefined : which + 1);
  if (kind === "move_stage") return pick(stages.filter((each) => each.name !== "flight"), values.stage ?? 0);
  if (kind === "flight_height") return pick(flights, values.flight ?? 0);
  if (kind === "gravity") return values.flight == null ? flights : pick(flights, values.flight);
  return null;
}

/** Easing together is no longer than the interval. */
function fitEase(timing: Timing): Timing {
  const length = timing.last - timing.first;
  const easeIn = clamp(timing.easeIn, 0, length);
  return { ...timing, easeIn, easeOut: clamp(timing.easeOut, 0, length - easeIn) };
}

/** The whole constraint earlier or later, with the places that it passes. */
export function movedBy(timing: Timing, by: number, frames: number): Timing {
  const d = clamp(by, -timing.first, Math.max(-timing.first, frames - 1 - timing.last));
  if (d === 0) return timing;
  return {
    ...timing, all: false, first: timing.first + d, last: timing.last + d,
    through: timing.through.map((each) => ({
      frame: each.frame + d, until: each.until === null ? null : each.until + d,
    })),
  };
}

/** Places that are passed stay inside; easing gives way. */
export function stretched(timing: Timing, edge: "first" | "last", to: number, frames: number): Timing {
  const passed = timing.through.map((each) => [each.frame, each.until ?? each.frame]);
  if (edge === "first") {
    const first = clamp(to, 0, Math.min(timing.last, ...passed.map(([from]) => from!)));
    return first === timing.first ? timing : fitEase({ ...timing, all: false, first });
  }
  const last = clamp(to, Math.max(timing.first, ...passed.map(([, until]) => until!)), frames - 1);
  return last === timing.last ? timing : fitEase({ ...timing, all: false, last });
}

export function eased(timing: Timing, side: "easeIn" | "easeOut", to: number): Timing {
  const other = side === "easeIn" ? timing.easeOut : timing.easeIn;
  return { ...timing, [side]: clamp(to, 0, Math.max(0, timing.last - timing.first - other)) };
}

/** A place is passed at another frame: between its neighbours, inside the interval. */
export function passedAt(timing: Timing, index: number, to: number): Timing {
  const own = timing.through[index];
  if (!own) return timing;
  const before = timing.through[index - 1];
  const after = timing.through[index + 1];
  const rest = own.until === null ? 0 : own.until - own.frame;
  const low = before ? (before.until ?? before.frame) + 1 : timing.first;
  const high = (after ? after.frame - 1 : timing.last) - rest;
  const at = clamp(to, low, Math.max(low, high));
  const moved = { frame: at, until: own.until === null ? null : at + rest };
  return { ...timing, through: timing.through.map((each, i) => (i === index ? moved : each)) };
}

/** What to change in a constraint's values (`changeWish`): undefined takes a key out. */
export function timingValues(wish: Wish, timing: Timing): Record<string, any> {
  if (timing.kind === "moment") return { frame: timing.first, second: undefined };
  const { easeIn, easeOut } = timing;
  const values: Record<string, any> = {
    frames: timing.all ? "all" : [timing.first, timing.last], seconds: undefined,
    ease: easeIn === easeOut ? easeIn || undefined : [easeIn, easeOut], ease_seconds: undefined,
  };
  if (isKeyed(wish)) {
    const keys = wish.values.displacement_m as [number, unknown][];
    values.displacement_m = keys.map(([, by], i) => [timing.through[i]!.frame, by]);
  } else if (timing.through.length > 0) {
    values.through = (wish.values.through as Record<string, any>[]).map((each, i) => {
      const { second: _, until: __, until_second: ___, ...kept } = each;
      const { frame, until } = timing.through[i]!;
      return until === null ? { ...kept, frame } : { ...kept, frame, until };
    });
  }
  return values;
}

export function sameTiming(a: Timing, b: Timing): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
