// Where a point of the body is: forward kinematics of one chain.

import { current, motions, type FigureData, type MotionData } from "../store";
import type { Vec3 } from "../recipe";
import { body } from "./editing";
import { chainOf, findPoint } from "./recruits";

type Quaternion = [number, number, number, number];

function times([a, b, c, d]: Quaternion, [e, f, g, h]: Quaternion): Quaternion {
  return [
    a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
    a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e,
  ];
}

function turned([w, x, y, z]: Quaternion, [a, b, c]: Vec3): Vec3 {
  const s = 2 * (y * c - z * b);
  const t = 2 * (z * a - x * c);
  const u = 2 * (x * b - y * a);
  return [a + w * s + y * u - z * t, b + w * t + z * s - x * u, c + w * u + x * t - y * s];
}

/** A place in a joint's frame, in the world, in a whole frame. */
function placeAt(figure: FigureData, motion: MotionData, chain: number[], offset: Vec3, frame: number): Vec3 {
  const offsets = figure.arrays.offsets_m as Float32Array;
  const at = Math.max(0, Math.min(motion.frames - 1, Math.round(frame)));
  let turn: Quaternion = [1, 0, 0, 0];
  let place: Vec3 = [motion.roots[3 * at]!, motion.roots[3 * at + 1]!, motion.roots[3 * at + 2]!];
  for (let i = chain.length - 1; i >= 0; i -= 1) {
    const joint = chain[i]!;
    if (i < chain.length - 1) {
      const [x, y, z] = turned(turn, [offsets[3 * joint]!, offsets[3 * joint + 1]!, offsets[3 * joint + 2]!]);
      place = [place[0] + x, place[1] + y, place[2] + z];
    }
    const q = 4 * (at * motion.joints + joint);
    const r = motion.rotations;
    turn = times(turn, [r[q]!, r[q + 1]!, r[q + 2]!, r[q + 3]!]);
  }
  const [x, y, z] = turned(turn, offset);
  return [place[0] + x, place[1] + y, place[2] + z];
}

/** From the first to the last frame; null: there is no such point. */
export function pointPath(figure: FigureData, motion: MotionData, point: string, first: number, last: number): Vec3[] | null {
  const { joint, offset } = findPoint(figure.message, point);
  if (joint < 0 || figure.message.joint_names.length !== motion.joints) return null;
  const chain = chainOf(figure.message, joint);
  const found: Vec3[] = [];
  for (let frame = first; frame <= last; frame += 1) found.push(placeAt(figure, motion, chain, offset, frame));
  return found;
}

/** Where the motion that is shown has a point. */
export function placeNow(point: string, frame: number): Vec3 | null {
  const motion = current.peek() ?? motions.peek().get("before");
  const figure = body.peek();
  if (!motion || !figure) return null;
  const found = pointPath(figure, motion, point, frame, frame)?.[0];
  return found ? (found.map((v) => Number(v.toFixed(5))) as Vec3) : null;
}
