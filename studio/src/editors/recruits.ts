// Which joints help a constraint, as the library has it (constraints/recruiting.py).

import type { Figure } from "../messages";

export interface Recruits { joints: Set<number>; translation: boolean }

export function findJoint(figure: Figure, name: string): number {
  const direct = figure.joint_names.indexOf(name);
  return direct >= 0 ? direct : figure.joint_names.indexOf(figure.roles[name] ?? "");
}

/** A site, joint or role: the joint that it rides on and where in its frame; joint -1: unknown. */
export function findPoint(figure: Figure, name: string): { joint: number; offset: [number, number, number] } {
  const site = figure.sites.find((each) => each.name === name);
  if (site) return { joint: site.joint, offset: site.offset_m };
  return { joint: findJoint(figure, name), offset: [0, 0, 0] };
}

/** A joint and all that carry it, up to the root. */
export function chainOf(figure: Figure, joint: number): number[] {
  const found: number[] = [];
  for (let at = joint; at >= 0; at = figure.parents[at] ?? -1) found.push(at);
  return found;
}

/** The joint that a constraint is about; -1 where it is about the whole body. */
export function ownJoint(figure: Figure, values: Record<string, any>): number {
  if (values.point) return findPoint(figure, values.point).joint;
  if (values.joint) return findJoint(figure, values.joint);
  if (values.part) {
    const [side, part] = String(values.part).split("_");
    return findJoint(figure, `${side}_${part === "hand" ? "wrist" : "ankle"}`);
  }
  return values.first ? findPoint(figure, values.first).joint : -1;
}

export function recruitsOf(figure: Figure, kind: string, values: Record<string, any>): Recruits {
  const { up_to: top, joints } = values.recruit ?? {};
  if (Array.isArray(joints)) {
    const found = joints.map((name: string) => findJoint(figure, name)).filter((joint) => joint >= 0);
    return { joints: new Set(found), translation: joints.includes("translation") };
  }
  if (kind === "place_center_of_mass" && !top) {
    return { joints: carryingRoles(figure), translation: true };
  }
  const chain = chainOf(figure, ownJoint(figure, values));
  if (top) {
    const end = top === "root" ? chain.length - 1 : chain.indexOf(findJoint(figure, top));
    return listed(chain.slice(0, end + 1));
  }
  if (kind === "keep_distance" && values.second) {
    const other = chainOf(figure, findPoint(figure, values.second).joint);
    const shared = new Set(other);
    const own = new Set(chain);
    return listed([...chain.filter((j) => !shared.has(j)), ...other.filter((j) => !own.has(j))]);
  }
  if (values.relative_to) {
    const reference = new Set(chainOf(figure, findJoint(figure, values.relative_to)));
    const end = chain.findIndex((joint) => reference.has(joint));
    return listed(end < 0 ? chain : chain.slice(0, end));
  }
  return listed(chain);
}

function listed(joints: number[]): Recruits {
  return { joints: new Set(joints), translation: joints.includes(0) };
}

/** Joints that have a role or carry one that has: not fingers. */
export function carryingRoles(figure: Figure): Set<number> {
  const found = new Set<number>();
  for (const name of Object.values(figure.roles))
    for (const joint of chainOf(figure, figure.joint_names.indexOf(name))) found.add(joint);
  if (!found.size) figure.joint_names.forEach((_, joint) => found.add(joint));
  return found;
}

/** Recruits as a recipe lists them. */
export function asNames(figure: Figure, recruits: Recruits): string[] {
  const names = [...recruits.joints].sort((a, b) => a - b).map((joint) => figure.joint_names[joint]!);
  return recruits.translation ? ["translation", ...names] : names;
}
