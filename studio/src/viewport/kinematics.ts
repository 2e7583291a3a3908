// From joint rotations to places: forward kinematics without garbage, straight from a motion's arrays.

import type { FigureData, MotionData } from "../store";

/** What of a body does not move: its tree, its bones, its rest pose. */
export class Shape {
  readonly joints: number;
  /** All joints, parents before children. */
  readonly order: Int32Array;
  readonly parents: Int32Array;
  readonly offsets: Float32Array;
  /** Of the rest pose, in the world: (J, 3) and wxyz (J, 4). */
  readonly restPlaces: Float32Array;
  readonly restTurns: Float32Array;

  constructor(readonly figure: FigureData) {
    const { message, arrays } = figure;
    this.joints = message.joint_names.length;
    this.order = Int32Array.from({ length: this.joints }, (_, j) => j);
    this.parents = Int32Array.from(message.parents);
    this.offsets = arrays.offsets_m as Float32Array;
    this.restPlaces = new Float32Array(3 * this.joints);
    this.restTurns = new Float32Array(4 * this.joints);
    const rest = arrays.rest_wxyz as Float32Array;
    walkTree(this, this.order, this.offsets, 0, rest, 0, 0, 0, this.restPlaces, this.restTurns);
  }

  /** A joint and all that carry it, from the root on. */
  chain(joint: number): Int32Array {
    const found: number[] = [];
    for (let j = joint; j >= 0; j = this.parents[j]!) found.unshift(j);
    return Int32Array.from(found);
  }
}

const shapes = new WeakMap<FigureData, Shape>();

export function shapeOf(figure: FigureData): Shape {
  let known = shapes.get(figure);
  if (!known) shapes.set(figure, (known = new Shape(figure)));
  return known;
}

/**
 * World places and turns of the joints in `order` from local rotations; between two frames where `share` is above
 * zero: `root` and `row` are where a frame begins, `next` how far on the other one's rotations are.
 */
function walkTree(
  shape: Shape, order: Int32Array, roots: Float32Array, root: number, local: Float32Array, row: number,
  next: number, share: number, places: Float32Array, turns: Float32Array,
): void {
  const { parents, offsets } = shape;
  for (let k = 0; k < order.length; k += 1) {
    const j = order[k]!;
    const l = row + 4 * j;
    let w = local[l]!, x = local[l + 1]!, y = local[l + 2]!, z = local[l + 3]!;
    if (share > 0) {
      const m = l + next;
      const w2 = local[m]!, x2 = local[m + 1]!, y2 = local[m + 2]!, z2 = local[m + 3]!;
      const other = w * w2 + x * x2 + y * y2 + z * z2 < 0 ? -share : share;
      const own = 1 - share;
      w = own * w + other * w2;
      x = own * x + other * x2;
      y = own * y + other * y2;
      z = own * z + other * z2;
      const size = 1 / Math.sqrt(w * w + x * x + y * y + z * z);
      w *= size; x *= size; y *= size; z *= size;
    }
    const p = parents[j]!, q = 4 * j, t = 3 * j;
    if (p < 0) {
      turns[q] = w; turns[q + 1] = x; turns[q + 2] = y; turns[q + 3] = z;
      const step = share > 0 ? 3 : 0;
      for (let i = 0; i < 3; i += 1)
        places[t + i] = (1 - share) * roots[root + i]! + share * roots[root + step + i]!;
      continue;
    }
    const pw = turns[4 * p]!, px = turns[4 * p + 1]!, py = turns[4 * p + 2]!, pz = turns[4 * p + 3]!;
    turns[q] = pw * w - px * x - py * y - pz * z;
    turns[q + 1] = pw * x + px * w + py * z - pz * y;
    turns[q + 2] = pw * y - px * z + py * w + pz * x;
    turns[q + 3] = pw * z + px * y - py * x + pz * w;
    const ox = offsets[t]!, oy = offsets[t + 1]!, oz = offsets[t + 2]!;
    const cx = 2 * (py * oz - pz * oy), cy = 2 * (pz * ox - px * oz), cz = 2 * (px * oy - py * ox);
    places[t] = places[3 * p]! + ox + pw * cx + py * cz - pz * cy;
    places[t + 1] = places[3 * p + 1]! + oy + pw * cy + pz * cx - px * cz;
    places[t + 2] = places[3 * p + 2]! + oz + pw * cz + px * cy - py * cx;
  }
}

/** One pose of a body: where all joints are and how they are turned, in the world. */
export class Pose {
  readonly places: Float32Array;
  readonly turns: Float32Array;

  constructor(readonly shape: Shape) {
    this.places = new Float32Array(3 * shape.joints);
    this.turns = new Float32Array(4 * shape.joints);
  }

  /** Take the pose of a motion at a time in frames, which may be between two; of some joints, if asked. */
  set(motion: MotionData, frame: number, order: Int32Array = this.shape.order): void {
    const last = motion.frames - 1;
    const at = Math.min(Math.max(frame, 0), last);
    const whole = Math.min(Math.floor(at), last);
    const share = whole < last ? at - whole : 0;
    const size = 4 * motion.joints;
    walkTree(
      this.shape, order, motion.roots, 3 * whole, motion.rotations, size * whole, size, share,
      this.places, this.turns,
    );
  }

  /** Bone matrices for a skin that was made in the rest pose, column by column. */
  writeBones(matrices: Float32Array): void {
    const { joints, restPlaces, restTurns } = this.shape;
    const { places, turns } = this;
    for (let j = 0; j < joints; j += 1) {
      const q = 4 * j, t = 3 * j, m = 16 * j;
      const aw = turns[q]!, ax = turns[q + 1]!, ay = turns[q + 2]!, az = turns[q + 3]!;
      const bw = restTurns[q]!, bx = -restTurns[q + 1]!, by = -restTurns[q + 2]!, bz = -restTurns[q + 3]!;
      const w = aw * bw - ax * bx - ay * by - az * bz;
      const x = aw * bx + ax * bw + ay * bz - az * by;
      const y = aw * by - ax * bz + ay * bw + az * bx;
      const z = aw * bz + ax * by - ay * bx + az * bw;
      const m00 = 1 - 2 * (y * y + z * z), m01 = 2 * (x * y - w * z), m02 = 2 * (x * z + w * y);
      const m10 = 2 * (x * y + w * z), m11 = 1 - 2 * (x * x + z * z), m12 = 2 * (y * z - w * x);
      const m20 = 2 * (x * z - w * y), m21 = 2 * (y * z + w * x), m22 = 1 - 2 * (x * x + y * y);
      const rx = restPlaces[t]!, ry = restPlaces[t + 1]!, rz = restPlaces[t + 2]!;
      matrices[m] = m00; matrices[m + 1] = m10; matrices[m + 2] = m20; matrices[m + 3] = 0;
      matrices[m + 4] = m01; matrices[m + 5] = m11; matrices[m + 6] = m21; matrices[m + 7] = 0;
      matrices[m + 8] = m02; matrices[m + 9] = m12; matrices[m + 10] = m22; matrices[m + 11] = 0;
      matrices[m + 12] = places[t]! - (m00 * rx + m01 * ry + m02 * rz);
      matrices[m + 13] = places[t + 1]! - (m10 * rx + m11 * ry + m12 * rz);
      matrices[m + 14] = places[t + 2]! - (m20 * rx + m21 * ry + m22 * rz);
      matrices[m + 15] = 1;
    }
  }

  /** Where a point that rides on a joint is; written to three places of `out`. */
  point(joint: number, offset: ArrayLike<number>, out: Float32Array | number[], at = 0): void {
    const q = 4 * joint, t = 3 * joint;
    const w = this.turns[q]!, x = this.turns[q + 1]!, y = this.turns[q + 2]!, z = this.turns[q + 3]!;
    const ox = offset[0]!, oy = offset[1]!, oz = offset[2]!;
    const cx = 2 * (y * oz - z * oy), cy = 2 * (z * ox - x * oz), cz = 2 * (x * oy - y * ox);
    out[at] = this.places[t]! + ox + w * cx + y * cz - z * cy;
    out[at + 1] = this.places[t + 1]! + oy + w * cy + z * cx - x * cz;
    out[at + 2] = this.places[t + 2]! + oz + w * cz + x * cy - y * cx;
  }
}

/** Where a point is from the first frame to the last: (n, 3), into `out` if it has the length. */
export function pathOf(
  shape: Shape, motion: MotionData, joint: number, offset: ArrayLike<number>, first: number, last: number, out: Float32Array,
): Float32Array {
  const size = 3 * (last - first + 1);
  const path = out.length === size ? out : new Float32Array(size);
  const pose = scratchOf(shape);
  const chain = shape.chain(joint);
  for (let f = first; f <= last; f += 1) {
    pose.set(motion, f, chain);
    pose.point(joint, offset, path, 3 * (f - first));
  }
  return path;
}

const scratches = new WeakMap<Shape, Pose>();

/** A pose to work with for a moment, so that none has to be made. */
export function scratchOf(shape: Shape): Pose {
  let known = scratches.get(shape);
  if (!known) scratches.set(shape, (known = new Pose(shape)));
  return known;
}
