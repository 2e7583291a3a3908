// How the members of a family differ: lines, grids and circles of landings (methods/momentum/family_axes.py).

export interface FamilyAxis {
  name: string; stage: number; values: number[];
  by_m?: [number, number, number]; turn_deg?: number; around_stage?: number;
}

/** So many values from -size to size, evenly. */
export function spread(size: number, count: number): number[] {
  if (count < 2) return [0];
  const step = (2 * size) / (count - 1);
  // The middle of an odd count is zero to the last digit: the capture is a member then.
  return Array.from({ length: count }, (_, i) => Number((step * (i - (count - 1) / 2)).toFixed(6)) || 0);
}

export function lineAxes(stage: number, along: "x" | "z", size: number, count: number): FamilyAxis[] {
  return [{ name: `landing ${along}`, stage, values: spread(size, count), by_m: along === "x" ? [1, 0, 0] : [0, 0, 1] }];
}

export function gridAxes(stage: number, size: number, count: number): FamilyAxis[] {
  return [...lineAxes(stage, "x", size, count), ...lineAxes(stage, "z", size, count)];
}

/** Around another stage, turned as it goes; size in degrees. */
export function circleAxes(stage: number, around: number, size: number, count: number): FamilyAxis[] {
  return [{ name: "around", stage, values: spread(size, count), turn_deg: 1, around_stage: around }];
}

export const membersOf = (axes: readonly FamilyAxis[]): number =>
  axes.length ? axes.reduce((count, axis) => count * axis.values.length, 1) : 0;

/** "-0.4, 0, 0.4" as rising numbers; null: it is not. */
export function valuesFrom(text: string): number[] | null {
  const found = text.split(/[\s,;]+/).filter(Boolean).map(Number);
  const rising = found.every((value, i) => Number.isFinite(value) && (i === 0 || value > found[i - 1]!));
  return found.length && rising ? found : null;
}

export function freeAxisName(axes: readonly FamilyAxis[], wanted: string): string {
  const taken = new Set(axes.map((axis) => axis.name));
  let name = wanted;
  for (let n = 2; taken.has(name); n += 1) name = `${wanted} ${n}`;
  return name;
}
