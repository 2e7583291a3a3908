// What dragging in the viewport does to a recipe, beside pinning points (recipe.ts): steps, turns, the
// centre of mass, goals. Pure: each takes a recipe and returns another.

import type { Touch } from "../messages";
import { addWish, changeWish, freeName, intervalOf, methodOf, wishesOf, withStep, type Vec3, type Wish } from "../recipe";
import { methodsThere, takenBy, type Recipe } from "../store";

export interface Timing { frames: number; rate: number }
export interface StepOf { recipe: Recipe; step: number }
export interface Edited { recipe: Recipe; index: number }

/** Seconds over which an edit at one frame grows out of the motion, and goes back into it. */
const REACH_S = 0.5;
/** The same for a step: as much of the swing as is needed to get there. */
const SWING_S = 0.2;
export const PLANTED = ["left_foot", "right_foot", "left_hand", "right_hand"];

function takes(method: string, kind: string): boolean {
  return takenBy(method).includes(kind);
}

/** The step that an edit goes to: the open one, else the last that can take it, else a new one with what is to be kept. */
export function stepFor(recipe: Recipe, open: number, kind: string, kept: Record<string, any> | undefined): StepOf {
  if (takes(methodOf(recipe, open), kind)) return { recipe, step: open };
  const count = (recipe.steps ?? []).length;
  for (let step = count - 1; step >= 0; step -= 1) if (takes(methodOf(recipe, step), kind)) return { recipe, step };
  const method = takes("deform", kind) ? "deform" : methodsThere().find((each) => takes(each, kind)) ?? "deform";
  return { recipe: withStep(recipe, method, kept), step: count };
}

/** To a tenth of a millimetre: recipes are read by people. */
export function rounded(values: ArrayLike<number>, digits = 1e4): number[] {
  return Array.from(values, (v) => Math.round(v * digits) / digits + 0);
}

export function sum(a: ArrayLike<number> | undefined, b: ArrayLike<number>): Vec3 {
  return [0, 1, 2].map((i) => (a?.[i] ?? 0) + b[i]!) as Vec3;
}

/** An interval around a frame in which an edit comes and goes. */
function around(at: number, { frames, rate }: Timing): { frames: [number, number]; ease: [number, number] } {
  const reach = Math.max(1, Math.round(REACH_S * rate));
  const first = Math.max(0, at - reach), last = Math.min(frames - 1, at + reach);
  return { frames: [first, last], ease: [at - first, last - at] };
}

function held(wish: Wish, { frames, rate }: Timing): [number, number] {
  return intervalOf(wish.values, frames, rate);
}

// Steps.

/** The interval of a step: fully there while it touches, eased through the swings on both sides. */
function stepInterval(
  touch: Touch, touches: readonly Touch[], timing: Timing,
): { frames: [number, number]; ease: [number, number] } {
  const swing = Math.round(SWING_S * timing.rate);
  let before = touch.first, after = timing.frames - 1 - touch.last;
  for (const each of touches) {
    if (each.part !== touch.part) continue;
    // A swing belongs to the steps on both its ends, half of it to each.
    if (each.last < touch.first) before = Math.min(before, Math.floor((touch.first - each.last - 1) / 2));
    if (each.first > touch.last) after = Math.min(after, Math.floor((each.first - touch.last - 1) / 2));
  }
  const ease: [number, number] = [Math.min(before, swing), Math.min(after, swing)];
  return { frames: [touch.first - ease[0], touch.last + ease[1]], ease };
}

/** The constraint that already plants a step; not one that reaches over other steps. */
function planting(recipe: Recipe, step: number, touch: Touch, touches: readonly Touch[], timing: Timing): Wish | null {
  for (const wish of wishesOf(recipe, step)) {
    if (wish.kind !== "plant" || wish.values.part !== touch.part) continue;
    const [first, last] = held(wish, timing);
    if (first > touch.last || last < touch.first) continue;
    const others = touches.some((each) => each !== touch && each.part === touch.part
      && each.first <= last && each.last >= first);
    if (!others) return wish;
  }
  return null;
}

/**
 * A step is somewhere else: moved and turned from where it was when the drag began. The part follows
 * the captured roll of its foot there (`mode: follow`), which standing still would iron out.
 */
export function moveStep(
  recipe: Recipe, step: number, touch: Touch, touches: readonly Touch[], by: Vec3, turn: number, timing: Timing,
): Edited {
  const known = planting(recipe, step, touch, touches, timing);
  const shift = rounded(sum(known?.values.displacement_m, by));
  const turned = Math.round(((known?.values.turn_deg ?? 0) + turn) * 100) / 100;
  const moved = { displacement_m: shift, turn_deg: turned || undefined };
  if (known) return { recipe: changeWish(recipe, step, known.index, moved), index: known.index };
  const number = touches.filter((each) => each.part === touch.part && each.first <= touch.first).length;
  const interval = stepInterval(touch, touches, timing);
  const free = carved(recipe, step, touch.part, interval.frames, timing);
  const values: Record<string, any> = {
    name: freeName(free, step, `${touch.part.replaceAll("_", " ")} step ${number}`), part: touch.part,
    mode: "follow", ...interval, displacement_m: shift, ...(turned ? { turn_deg: turned } : {}),
  };
  return { recipe: addWish(free, step, "plant", values), index: wishesOf(free, step).length };
}

/**
 * A part that keeps to the capture over a long time does so before and after some frames only: else it
 * would ask for the old place of a step that is moved.
 */
function carved(recipe: Recipe, step: number, part: string, [from, to]: [number, number], timing: Timing): Recipe {
  let changed = recipe;
  for (const wish of wishesOf(recipe, step)) {
    const { kind, values, index } = wish;
    const [first, last] = held(wish, timing);
    if (kind !== "plant" || values.part !== part || values.mode !== "follow" || first > to || last < from) continue;
    if (first >= from && last <= to) continue;
    // Pieces end where the step's easing starts: there it still is where the capture has it.
    const pieces: [number, number][] = [];
    if (first < from) pieces.push([first, from - 1]);
    if (last > to) pieces.push([to + 1, last]);
    const plain = { ease: undefined, ease_seconds: undefined, seconds: undefined };
    changed = changeWish(changed, step, index, { frames: pieces[0], ...plain });
    if (pieces[1]) {
      const name = freeName(changed, step, values.name ?? part);
      const rest = { ...values, name, frames: pieces[1] };
      for (const key of Object.keys(plain)) delete (rest as Record<string, any>)[key];
      changed = addWish(changed, step, "plant", rest);
    }
  }
  return changed;
}

function overlaps([first, last]: [number, number], touch: Touch): boolean {
  return first <= touch.last && last >= touch.first;
}

// The centre of mass.

/**
 * The centre of mass is displaced around a frame. What stands then is planted where it stands, or the
 * whole body would only be pushed aside.
 */
export function moveCenter(
  recipe: Recipe, step: number, at: number, by: Vec3, place: Vec3, touches: readonly Touch[], timing: Timing,
): Edited {
  for (const wish of wishesOf(recipe, step)) {
    if (wish.kind !== "place_center_of_mass") continue;
    const [first, last] = held(wish, timing);
    const keyed = Array.isArray(wish.values.displacement_m?.[0]);
    const near = keyed ? Math.round(REACH_S * timing.rate) : 0;
    if (at < first - near || at > last + near) continue;
    return { recipe: changeWish(recipe, step, wish.index, centerValues(wish, at, by, place, timing)), index: wish.index };
  }
  const interval = around(at, timing);
  let changed = recipe;
  for (const touch of touches) {
    if (!PLANTED.includes(touch.part) || !overlaps(interval.frames, touch)) continue;
    const planted = wishesOf(changed, step).some((each) => each.kind === "plant"
      && each.values.part === touch.part && overlaps(held(each, timing), touch));
    if (!planted) changed = moveStep(changed, step, touch, touches, [0, 0, 0], 0, timing).recipe;
  }
  const index = wishesOf(changed, step).length;
  const values = {
    name: freeName(changed, step, "centre of mass"), ...interval, displacement_m: [[at, rounded(by)]], priority: 2,
  };
  return { recipe: addWish(changed, step, "place_center_of_mass", values), index };
}

function centerValues(wish: Wish, at: number, by: Vec3, place: Vec3, timing: Timing): Record<string, any> {
  const { values } = wish;
  if (values.mode === "absolute") return { place_m: rounded(place) };
  const [first, last] = held(wish, timing);
  const reach = Math.max(1, Math.round(REACH_S * timing.rate));
  const keyed = Array.isArray(values.displacement_m?.[0]);
  const constant: number[] = keyed ? [] : values.displacement_m ?? [0, 0, 0];
  // One that is only about this moment moves as a whole; a longer one gets a key here.
  if (!keyed && last - first <= 2 * reach) return { displacement_m: rounded(sum(constant, by)) };
  const [easeIn, easeOut] = easeOf(values, timing);
  const known: [number, number[]][] = keyed ? values.displacement_m : [[first + easeIn, constant], [last - easeOut, constant]];
  const value = (frame: number): number[] => rounded(between(known, frame));
  const full = at >= first + easeIn && at <= last - easeOut;
  const keys = new Map<number, number[]>(keyed || !full ? known : []);
  // What is further away stays as it was.
  for (const guard of [at - reach, at + reach])
    if (full && guard >= first + (easeIn ? 1 : 0) && guard <= last - (easeOut ? 1 : 0) && !keyNear(keys, at, guard)) keys.set(guard, value(guard));
  const share = Math.min(1, smooth((at - first) / (easeIn || 1)), smooth((last - at) / (easeOut || 1)));
  keys.set(at, rounded(sum(value(at).map((v) => (full ? v : share * v)), by)));
  const listed = [...keys].sort((a, b) => a[0] - b[0]);
  if (full) return { displacement_m: listed };
  // Where it comes or goes, it does so later now: fully there from the first key to the last.
  const frames = [Math.min(first, Math.max(0, at - reach)), Math.max(last, Math.min(timing.frames - 1, at + reach))] as const;
  const ease = [listed[0]![0] - frames[0], frames[1] - listed[listed.length - 1]![0]];
  return { displacement_m: listed, frames: [...frames], ease, seconds: undefined, ease_seconds: undefined };
}

function easeOf(values: Record<string, any>, { rate }: Timing): [number, number] {
  const given = values.ease ?? (values.ease_seconds === undefined ? 0 : values.ease_seconds);
  const pair: number[] = Array.isArray(given) ? given : [given, given];
  const scale = values.ease === undefined && values.ease_seconds !== undefined ? rate : 1;
  return [Math.round(scale * (pair[0] ?? 0)), Math.round(scale * (pair[1] ?? 0))];
}

/** How an interval eases: no jump in speed or acceleration at either end. */
function smooth(share: number): number {
  const x = Math.min(1, Math.max(0, share));
  return x * x * x * (x * (6 * x - 15) + 10);
}

/** Whether there is a key between two frames, or on the second. */
function keyNear(keys: ReadonlyMap<number, unknown>, at: number, guard: number): boolean {
  const low = Math.min(at, guard), high = Math.max(at, guard);
  for (const frame of keys.keys()) if (frame !== at && frame >= low && frame <= high) return true;
  return false;
}

function between(keys: readonly [number, number[]][], at: number): number[] {
  const after = keys.findIndex(([frame]) => frame >= at);
  if (after < 0) return keys[keys.length - 1]![1];
  if (after === 0) return keys[0]![1];
  const [f, a] = keys[after - 1]!, [g, b] = keys[after]!;
  const share = (at - f) / (g - f);
  return a.map((v, i) => v + share * (b[i]! - v));
}

// Turning a joint. Quaternions are wxyz.

export type Turn = [number, number, number, number];
/** How a joint that others are relative to is turned in the world now. */
export type TurnOf = (joint: string) => Turn | null;

export function times(a: Turn, b: Turn): Turn {
  const [aw, ax, ay, az] = a, [bw, bx, by, bz] = b;
  return [
    aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw,
  ];
}

export function inverse([w, x, y, z]: Turn): Turn {
  return [w, -x, -y, -z];
}

/** A joint has a rotation at a frame; `start` is the one it had when the drag began. */
export function turnJoint(
  recipe: Recipe, step: number, joint: string, at: number, start: Turn, goal: Turn, turnOf: TurnOf, timing: Timing,
): Edited {
  for (const wish of wishesOf(recipe, step)) {
    const { kind, values, index } = wish;
    const [first, last] = held(wish, timing);
    if (kind !== "orient" || values.joint !== joint || at < first || at > last) continue;
    const to = values.relative_to ? (turnOf(values.relative_to) ?? UNTURNED) : UNTURNED;
    const mode = values.mode ?? "absolute";
    const local = times(inverse(to), goal);
    const turn = mode === "offset"
      ? times(times(local, inverse(times(inverse(to), start))), values.turn_wxyz)
      : mode === "relative" ? local : goal;
    return { recipe: changeWish(recipe, step, index, { turn_wxyz: rounded(turn, 1e6) }), index };
  }
  const values = {
    name: freeName(recipe, step, `turn ${joint.replaceAll("_", " ")}`), joint, turn_wxyz: rounded(goal, 1e6),
    ...around(at, timing), priority: 2,
  };
  return { recipe: addWish(recipe, step, "orient", values), index: wishesOf(recipe, step).length };
}

const UNTURNED: Turn = [1, 0, 0, 0];

// Stages of a leap.

/** The constraint that moves a ground stage; the last one also goes by -1. */
export function stageWish(recipe: Recipe, step: number, stage: number, count: number): Wish | undefined {
  return wishesOf(recipe, step).find(({ kind, values }) =>
    kind === "move_stage" && (values.stage === stage || values.stage === stage - count));
}

/** A ground stage goes somewhere else, from where the recipe had it. */
export function moveStage(
  recipe: Recipe, step: number, stage: number, count: number, by: Vec3, turn: number,
): Edited {
  const known = stageWish(recipe, step, stage, count);
  const moved = {
    by_m: rounded(sum(known?.values.by_m, by)),
    turn_deg: Math.round(((known?.values.turn_deg ?? 0) + turn) * 10) / 10 || undefined,
  };
  if (known) return { recipe: changeWish(recipe, step, known.index, moved), index: known.index };
  const values: Record<string, any> = { name: freeName(recipe, step, stageName(stage, count)), stage, by_m: moved.by_m };
  if (moved.turn_deg) values.turn_deg = moved.turn_deg;
  return { recipe: addWish(recipe, step, "move_stage", values), index: wishesOf(recipe, step).length };
}

export function stageName(stage: number, count: number): string {
  if (count > 1 && stage === count - 1) return "landing";
  return stage === 0 ? "take-off" : `stage ${stage}`;
}

const LEAST_RISE_M = 0.02;

export function heightWish(recipe: Recipe, step: number, flight: number, count: number): Wish | undefined {
  return wishesOf(recipe, step).find(({ kind, values }) =>
    kind === "flight_height" && ((values.flight ?? 0) === flight || values.flight === flight - count));
}

/** How high a flight is to rise; `captured` is what it was. */
export function riseOf(wish: Wish | undefined, captured: number): number {
  return wish?.values.rise_m ?? (wish?.values.scale ?? 1) * captured;
}

export function raiseFlight(recipe: Recipe, step: number, flight: number, count: number, rise: number): Edited {
  const known = heightWish(recipe, step, flight, count);
  const rise_m = Math.round(Math.max(LEAST_RISE_M, rise) * 1e3) / 1e3;
  if (known) return { recipe: changeWish(recipe, step, known.index, { rise_m, scale: undefined }), index: known.index };
  const values = { name: freeName(recipe, step, count > 1 ? `height ${flight + 1}` : "height"), flight, rise_m };
  return { recipe: addWish(recipe, step, "flight_height", values), index: wishesOf(recipe, step).length };
}

// Goals of constraints that there are.

/**
 * A goal is somewhere else; `by` is how far from where the drag began, already in the axes that the
 * constraint is given in. Null: it has no place that could be moved.
 */
export function moveGoal(
  recipe: Recipe, step: number, index: number, at: number, place: Vec3, by: Vec3, through: number | undefined,
  timing: Timing,
): Recipe | null {
  const wish = wishesOf(recipe, step)[index];
  if (!wish) return null;
  const { kind, values } = wish;
  const absolute = (values.mode ?? "absolute") === "absolute";
  switch (kind) {
    case "hit_at":
      return changeWish(recipe, step, index, { place_m: rounded(place) });
    case "hold_point":
      return changeWish(recipe, step, index, { place_m: rounded(absolute ? place : sum(values.place_m, by)) });
    case "plant":
      return changeWish(recipe, step, index, { displacement_m: rounded(sum(values.displacement_m, by)) });
    case "look_at":
      return Array.isArray(values.target)
        ? changeWish(recipe, step, index, { target: rounded(sum(values.target, by)) }) : null;
    case "place_center_of_mass":
      return changeWish(recipe, step, index, centerValues(wish, at, by, place, timing));
    case "follow_curve":
      return moveThrough(recipe, step, wish, at, place, by, through, absolute, timing);
    default:
      return null;
  }
}

function moveThrough(
  recipe: Recipe, step: number, wish: Wish, at: number, place: Vec3, by: Vec3, through: number | undefined,
  absolute: boolean, timing: Timing,
): Recipe | null {
  const passes = [...((wish.values.through ?? []) as Record<string, any>[])];
  const here = through ?? passes.findIndex((each) => frameOf(each, timing) === at);
  const known = passes[here];
  if (known) passes[here] = { ...known, place_m: rounded(absolute ? place : sum(known.place_m, by)) };
  else if (absolute) passes.push({ frame: at, place_m: rounded(place) });
  else return null;
  passes.sort((a, b) => frameOf(a, timing) - frameOf(b, timing));
  return changeWish(recipe, step, wish.index, { through: passes });
}

export function frameOf(pass: Record<string, any>, { rate }: Timing): number {
  return pass.frame ?? Math.round((pass.second ?? 0) * rate);
}
