// The places that a follow_curve passes, and changes of them that keep them in order.

import { intervalOf, type Vec3 } from "../recipe";
import { motions } from "../store";
import { body } from "./editing";
import { shapeCurve, type CurveEnd, type Pass } from "./curve_shape";
import { pointPath } from "./point_path";

/** A curve as the plot shows it: everything as displacement from the original, where that is known. */
export interface Curve {
  first: number; last: number;
  passes: Pass[];
  /** Zero of the plot, frame by frame from `first`: the original in a world curve, else zero. */
  original: Vec3[];
  /** Whether places are shown as what they add to the original. */
  displaced: boolean;
  /** Place at a frame, in the curve's own terms. */
  at(frame: number): Vec3;
}

export function passesOf(values: Record<string, any>, rate: number): Pass[] {
  return ((values.through ?? []) as Record<string, any>[]).map((each) => {
    const { second, until_second, ...rest } = each;
    const pass = { ...rest } as Pass;
    if (second != null) pass.frame = Math.round(second * rate);
    if (until_second != null) pass.until = Math.round(until_second * rate);
    if (pass.until == null) delete pass.until;
    return pass;
  });
}

/** Empty values are left out, as a recipe has them. */
export function asWritten(passes: Pass[]): Record<string, any>[] {
  return [...passes].sort((a, b) => a.frame - b.frame).map((pass) => {
    const place_m = pass.place_m.map((v) => Math.round(v * 1e5) / 1e5);
    const kept = { ...pass, place_m } as Record<string, any>;
    for (const key of ["tension", "continuity", "bias"]) if (!kept[key]) delete kept[key];
    if (kept.until == null || kept.until < kept.frame) delete kept.until;
    return kept;
  });
}

export function curveOf(values: Record<string, any>, frames: number, rate: number): Curve {
  const [first, last] = intervalOf(values, frames, rate);
  const passes = passesOf(values, rate);
  const mode = values.mode ?? "absolute";
  const motion = motions.value.get("before");
  const figure = body.value;
  const from = Math.max(0, first - 1);
  const wider = mode === "absolute" && motion && figure ? pointPath(figure, motion, values.point, from, Math.min(frames - 1, last + 1)) : null;
  const zero: Vec3 = [0, 0, 0];
  const count = last - first + 1;
  const original = wider ? wider.slice(first - from, first - from + count) : Array.from({ length: count }, () => zero);
  const end = (frame: number): CurveEnd => {
    if (!wider) return { frame, place: mode === "relative" ? (passes[frame === first ? 0 : passes.length - 1]?.place_m ?? zero) : zero, velocity: zero };
    const row = frame - from;
    const [a, b] = [Math.max(0, row - 1), Math.min(wider.length - 1, row + 1)];
    const velocity = [0, 1, 2].map((k) => (wider[b]![k]! - wider[a]![k]!) / Math.max(1, b - a)) as Vec3;
    return { frame, place: wider[row]!, velocity };
  };
  const through = passes.length ? shapeCurve(end(first), end(last), passes) : null;
  const at = (frame: number): Vec3 => through?.(frame) ?? original[Math.round(frame) - first] ?? zero;
  return { first, last, passes, original, displaced: wider !== null, at };
}

/** A pass moved in time or place; it stays between its neighbours and inside the interval. */
export function movedPass(curve: Curve, index: number, frame: number, place: Vec3): Pass[] {
  const now = curve.passes[index]!;
  const rest = (now.until ?? now.frame) - now.frame;
  const before = curve.passes[index - 1];
  const after = curve.passes[index + 1];
  const low = before ? (before.until ?? before.frame) + 1 : curve.first;
  const high = (after ? after.frame - 1 : curve.last) - rest;
  const at = Math.max(low, Math.min(high, Math.round(frame)));
  const moved: Pass = { ...now, frame: at, place_m: place };
  if (now.until != null) moved.until = at + rest;
  return curve.passes.map((each, i) => (i === index ? moved : each));
}
