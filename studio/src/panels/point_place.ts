// Where a point of the body is in a frame: what a new constraint starts from.

import { current, figures, frame } from "../store";
import type { Vec3 } from "../recipe";
import { scratchOf, shapeOf } from "../viewport/kinematics";

export interface PointPose { place: Vec3; turn: number[] }

/** A joint, role or site of the motion that is shown, at the cursor; null: there is none of that name. */
export function poseOf(name: string): PointPose | null {
  const motion = current.value;
  const figure = motion && figures.value.get(motion.figure);
  if (!motion || !figure || motion.frames === 0) return null;
  const { joint_names, roles, sites } = figure.message;
  const site = sites.find((each) => each.name === name);
  const joint = site?.joint ?? joint_names.indexOf(roles[name] ?? name);
  if (joint < 0) return null;
  const shape = shapeOf(figure);
  const pose = scratchOf(shape);
  pose.set(motion, Math.round(frame.value), shape.chain(joint));
  const place: Vec3 = [0, 0, 0];
  pose.point(joint, site?.offset_m ?? [0, 0, 0], place);
  return { place: place.map(rounded) as Vec3, turn: [...pose.turns.subarray(4 * joint, 4 * joint + 4)].map(rounded) };
}

const rounded = (v: number): number => Math.round(v * 1e4) / 1e4;
