// Motions come whole, or as the frames that differ from the last one of their kind.

import type { Arrays } from "./connection";
import type { Motion } from "./messages";
import type { MotionData, Which } from "./store";

let versions = 0;

/**
 * The motion that a message makes of the last one of its kind; null: a part of one that is not known. A part is
 * written into the arrays of the last one, which nobody is to use after that: no frame is copied that is the same.
 */
export function putTogether(last: MotionData | null, message: Motion, arrays: Arrays): MotionData | null {
  const roots = arrays.roots_m as Float32Array;
  const rotations = arrays.rotations_wxyz as Float32Array;
  const { figure, frames, first } = message;
  const count = roots.length / 3;
  const joints = count ? rotations.length / 4 / count : (last?.joints ?? 0);
  versions += 1;
  const made = { which: message.which as Which, figure, rate: message.rate_hz, frames, joints, version: versions };
  if (first === 0 && count === frames) return { ...made, roots, rotations };
  if (!last || last.figure !== figure || last.frames !== frames || last.joints !== joints) return null;
  last.roots.set(roots, 3 * first);
  last.rotations.set(rotations, 4 * joints * first);
  return { ...made, roots: last.roots, rotations: last.rotations };
}
