// The curve through places at frames, as the library makes it (constraints/shape_curve.py), for drawing.

import type { Vec3 } from "../recipe";

export interface Pass {
  frame: number; place_m: Vec3; until?: number; tension?: number; continuity?: number; bias?: number;
}
export interface CurveEnd { frame: number; place: Vec3; velocity: Vec3 }

interface Knot { u: number; place: Vec3; first: number; last: number; tension: number; continuity: number; bias: number; leaving: Vec3; arriving: Vec3 }

const ZERO: Vec3 = [0, 0, 0];
const each = (act: (axis: number) => number): Vec3 => [act(0), act(1), act(2)];

/** Kochanek–Bartels; rests take no time of the parameter. Gives the place at a frame. */
export function shapeCurve(start: CurveEnd, end: CurveEnd, through: readonly Pass[]): (frame: number) => Vec3 {
  const plain = { tension: 0, continuity: 0, bias: 0 };
  const passed: Omit<Knot, "u" | "leaving" | "arriving">[] = through.map((pass) => ({
    place: pass.place_m, first: pass.frame, last: pass.until ?? pass.frame,
    tension: pass.until != null ? 1 : (pass.tension ?? 0), continuity: pass.continuity ?? 0, bias: pass.bias ?? 0,
  }));
  if (!passed.length || passed[0]!.first > start.frame) passed.unshift({ ...plain, place: start.place, first: start.frame, last: start.frame });
  if (passed[passed.length - 1]!.last < end.frame) passed.push({ ...plain, place: end.place, first: end.frame, last: end.frame });
  let rested = 0;
  const knots: Knot[] = passed.map((pass) => {
    const u = pass.first - rested;
    rested += pass.last - pass.first;
    return { ...pass, u, leaving: ZERO, arriving: ZERO };
  });
  for (let i = 1; i < knots.length - 1; i += 1) {
    const [a, b, c] = [knots[i - 1]!, knots[i]!, knots[i + 1]!];
    const tight = (1 - b.tension) / (c.u - a.u);
    const before = each((k) => (1 + b.bias) * (b.place[k]! - a.place[k]!));
    const after = each((k) => (1 - b.bias) * (c.place[k]! - b.place[k]!));
    b.leaving = each((k) => tight * ((1 + b.continuity) * before[k]! + (1 - b.continuity) * after[k]!));
    b.arriving = each((k) => tight * ((1 - b.continuity) * before[k]! + (1 + b.continuity) * after[k]!));
  }
  const [one, other] = [knots[0]!, knots[knots.length - 1]!];
  one.leaving = one.arriving = each((k) => (1 - one.tension) * start.velocity[k]!);
  other.leaving = other.arriving = each((k) => (1 - other.tension) * end.velocity[k]!);
  return (frame) => placeOn(knots, frame);
}

function placeOn(knots: readonly Knot[], frame: number): Vec3 {
  let i = knots.findIndex((knot) => frame <= knot.last);
  if (i < 0) return knots[knots.length - 1]!.place;
  if (frame >= knots[i]!.first || i === 0) return knots[i]!.place;
  i -= 1;
  const [a, b] = [knots[i]!, knots[i + 1]!];
  const spanned = b.u - a.u;
  const x = (frame - a.last) / (b.first - a.last);
  return each((k) => {
    const [p, q] = [a.place[k]!, b.place[k]!];
    const bend = spanned * a.leaving[k]! * (1 - x) - spanned * b.arriving[k]! * x + (q - p) * (2 * x - 1);
    return p + x * (q - p) + x * (1 - x) * bend;
  });
}
