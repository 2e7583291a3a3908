// Named points of a body: what can be picked, and what names in recipes mean.

import type { FigureData } from "../store";

export interface NamedPoint {
  name: string;
  joint: number;
  offset: readonly [number, number, number];
  /** A joint's own origin: can be turned as well. */
  origin: boolean;
}

const ORIGIN = [0, 0, 0] as const;
const SAME_M = 0.02;
const pickable = new WeakMap<FigureData, readonly NamedPoint[]>();

/** Points to click on: roles first, then joints without a role, then sites that are no copy of one. */
export function pointsOf(figure: FigureData): readonly NamedPoint[] {
  const known = pickable.get(figure);
  if (known) return known;
  const { message } = figure;
  const found: NamedPoint[] = [];
  const named = new Set<number>();
  for (const [role, joint] of Object.entries(message.roles)) {
    const index = message.joint_names.indexOf(joint);
    if (index < 0) continue;
    named.add(index);
    found.push({ name: role, joint: index, offset: ORIGIN, origin: true });
  }
  // Without roles (a robot that was not recognised) all joints count; with them, fingers and the like do not.
  if (named.size === 0)
    message.joint_names.forEach((name, joint) => found.push({ name, joint, offset: ORIGIN, origin: true }));
  // Ends of bones come under the file's names too: those with a name of ours are worth more.
  const sites = [...message.sites].sort((a, b) => Number(/_end$/i.test(a.name)) - Number(/_end$/i.test(b.name)));
  for (const { name, joint, offset_m } of sites) {
    const twin = found.some((each) => each.joint === joint
      && Math.hypot(...each.offset.map((v, i) => v - offset_m[i]!)) < SAME_M);
    if (!twin) found.push({ name, joint, offset: offset_m, origin: false });
  }
  pickable.set(figure, found);
  return found;
}

/** What a name means on a body: a role, a joint or a site. */
export function findPoint(figure: FigureData, name: string): NamedPoint | null {
  const { message } = figure;
  const joint = message.joint_names.indexOf(message.roles[name] ?? name);
  if (joint >= 0) return { name, joint, offset: ORIGIN, origin: true };
  const site = message.sites.find((each) => each.name === name);
  return site ? { name, joint: site.joint, offset: site.offset_m, origin: false } : null;
}

/** The best name of a joint: its role, else its own. */
export function jointName(figure: FigureData, joint: number): string {
  const own = figure.message.joint_names[joint] ?? "";
  return Object.entries(figure.message.roles).find(([, each]) => each === own)?.[0] ?? own;
}

export function spoken(name: string): string {
  return name.replaceAll("_", " ");
}
