// Edits of a recipe in plain values: each takes one and returns a new one, nothing is changed in place.
// What keys mean: docs/recipes.md and the schema in `welcome`.

import type { Recipe } from "./store";

export type Vec3 = [number, number, number];
export interface Wish { kind: string; values: Record<string, any>; index: number }

/** Methods in the order of the menu, with a word for people; those of installed packages come after them. */
export const METHODS: Record<string, string> = {
  deform: "Deform: constraints by priority",
  correct: "Correct: contacts and physics of a capture",
  filter: "Filter: balance, strength, flight",
  momentum: "Leap: further, higher, spinning",
  pattern: "Pattern: in the style of examples",
  retarget: "Retarget: another body",
};

export function methodName(method: string): string {
  const words = method.charAt(0).toUpperCase() + method.slice(1).replaceAll("_", " ");
  return (METHODS[method] ?? words).split(":")[0]!;
}

export function stepCount(recipe: Recipe): number {
  return (recipe.steps ?? []).length;
}

export function methodOf(recipe: Recipe, step: number): string {
  return Object.keys(recipe.steps?.[step] ?? {})[0] ?? "";
}

/** Settings, constraints, contacts, pattern of a step. */
export function contentOf(recipe: Recipe, step: number): Record<string, any> {
  return recipe.steps?.[step]?.[methodOf(recipe, step)] ?? {};
}

export function wishesOf(recipe: Recipe, step: number): Wish[] {
  return ((contentOf(recipe, step).constraints ?? []) as Record<string, any>[]).map((each, index) => {
    const kind = Object.keys(each)[0] ?? "";
    return { kind, values: each[kind] ?? {}, index };
  });
}

/** The same with another content of one step; empty keys are left out. */
export function withContent(recipe: Recipe, step: number, content: Record<string, any>): Recipe {
  const kept = Object.fromEntries(Object.entries(content).filter(([, value]) => {
    if (value == null) return false;
    if (Array.isArray(value)) return value.length > 0;
    return typeof value !== "object" || Object.keys(value).length > 0;
  }));
  const steps = [...(recipe.steps ?? [])];
  steps[step] = { [methodOf(recipe, step)]: kept };
  return { ...recipe, steps };
}

/** What a method starts with here: whoever chooses Filter means its physics, of which a bare step has none. */
const FIRST: Record<string, Record<string, any>> = { filter: { settings: { passes: "2D+1K" } } };

export function withMethod(recipe: Recipe, step: number, method: string): Recipe {
  const steps = [...(recipe.steps ?? [])];
  steps[step] = { [method]: { ...FIRST[method] } };
  return retargets(recipe, step) && method !== "retarget" ? { ...withCharacter(recipe, OWN_BODY), steps } : { ...recipe, steps };
}

/** One more step; one of deform with what the body is to keep, as the server says it of every figure. */
export function withStep(recipe: Recipe, method: string, kept?: Record<string, any>): Recipe {
  const content = method === "deform" && kept ? kept : { ...FIRST[method] };
  return { ...recipe, steps: [...(recipe.steps ?? []), { [method]: content }] };
}

export function withoutStep(recipe: Recipe, step: number): Recipe {
  const steps = (recipe.steps ?? []).filter((_: unknown, i: number) => i !== step);
  return { ...(retargets(recipe, step) ? withCharacter(recipe, OWN_BODY) : recipe), steps };
}

/** What `retarget` alone needs: without it, another body means something else. */
const OWN_BODY = { to: undefined, mapping: undefined };

export function retargets(recipe: Recipe, step = 0): boolean {
  return methodOf(recipe, step) === "retarget";
}

/** Some values of the body changed; undefined takes one out. */
export function withCharacter(recipe: Recipe, changed: Record<string, any>): Recipe {
  const { character, ...rest } = recipe;
  const kept = Object.entries({ ...(character ?? {}), ...changed }).filter(([, value]) => value !== undefined);
  return kept.length ? { ...rest, character: Object.fromEntries(kept) } : rest;
}

/** In a place of a file; undefined: on level ground. */
export function withPlace(recipe: Recipe, file: string | undefined): Recipe {
  const { environment: _, ...rest } = recipe;
  return file ? { ...rest, environment: file } : rest;
}

/** Settings of a step, some changed; undefined takes one back to its default. */
export function withSettings(recipe: Recipe, step: number, changed: Record<string, any>): Recipe {
  const content = contentOf(recipe, step);
  const settings = { ...(content.settings ?? {}), ...changed };
  for (const key of Object.keys(settings)) if (settings[key] === undefined) delete settings[key];
  return withContent(recipe, step, { ...content, settings });
}

function withWishes(recipe: Recipe, step: number, wishes: Wish[]): Recipe {
  const constraints = wishes.map(({ kind, values }) => ({ [kind]: values }));
  return withContent(recipe, step, { ...contentOf(recipe, step), constraints });
}

export function addWish(recipe: Recipe, step: number, kind: string, values: Record<string, any>): Recipe {
  return withWishes(recipe, step, [...wishesOf(recipe, step), { kind, values, index: -1 }]);
}

/** The one constraint in which two recipes differ; null when more does, or nothing. */
export function changedConstraint(
  before: Recipe, after: Recipe,
): { step: number; index: number; constraint: Record<string, any> } | null {
  if (!sameBut("steps", before, after) || stepCount(before) !== stepCount(after)) return null;
  let found: { step: number; index: number; constraint: Record<string, any> } | null = null;
  for (let step = 0; step < stepCount(after); step += 1) {
    const was = wishesOf(before, step), now = wishesOf(after, step);
    if (methodOf(before, step) !== methodOf(after, step) || was.length !== now.length
      || !sameBut("constraints", contentOf(before, step), contentOf(after, step))) return null;
    for (const { kind, values, index } of now) {
      if (was[index]!.kind === kind && was[index]!.values === values) continue;
      if (found) return null;
      found = { step, index, constraint: { [kind]: values } };
    }
  }
  return found;
}

/** Whether two objects hold the same values, but for one key. Edits share what they do not change. */
function sameBut(but: string, a: Record<string, any>, b: Record<string, any>): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => key === but || a[key] === b[key]);
}

/** Some values of a constraint changed; undefined takes one out. */
export function changeWish(recipe: Recipe, step: number, index: number, changed: Record<string, any>): Recipe {
  return withWishes(recipe, step, wishesOf(recipe, step).map((each) => {
    if (each.index !== index) return each;
    const values = { ...each.values, ...changed };
    for (const key of Object.keys(values)) if (values[key] === undefined) delete values[key];
    return { ...each, values };
  }));
}

export function removeWish(recipe: Recipe, step: number, index: number): Recipe {
  return withWishes(recipe, step, wishesOf(recipe, step).filter((each) => each.index !== index));
}

export function moveWish(recipe: Recipe, step: number, from: number, to: number): Recipe {
  const wishes = wishesOf(recipe, step);
  const [taken] = wishes.splice(from, 1);
  if (taken) wishes.splice(to, 0, taken);
  return withWishes(recipe, step, wishes);
}

/** A name that no constraint of the step has. */
export function freeName(recipe: Recipe, step: number, wanted: string): string {
  const taken = new Set(wishesOf(recipe, step).map((each) => each.values.name));
  let name = wanted;
  for (let n = 2; taken.has(name); n += 1) name = `${wanted} ${n}`;
  return name;
}

/** First and last frame of a constraint, whatever way it is written. */
export function intervalOf(values: Record<string, any>, frames: number, rate: number): [number, number] {
  if (values.frames === "all") return [0, Math.max(0, frames - 1)];
  if (Array.isArray(values.frames)) return [values.frames[0], values.frames[1]];
  if (Array.isArray(values.seconds)) {
    const [first, last] = values.seconds.map((s: number) => Math.round(s * rate));
    return [Math.max(0, first ?? 0), Math.min(frames - 1, last ?? frames - 1)];
  }
  if (typeof values.frame === "number") return [values.frame, values.frame];
  return [0, Math.max(0, frames - 1)];
}

/** Only keeps what was captured, all the time: as a new document has it (apps/studio/first_recipe.py). */
export function keepsCapture({ kind, values }: Wish): boolean {
  const always = values.seconds === undefined && (values.frames ?? "all") === "all";
  // What is left of one where the user has moved the foot is no wish either.
  if (kind === "plant") return values.mode === "follow";
  if (kind === "orient") return always && values.mode === "offset" && !turned(values.turn_wxyz);
  return kind === "place_center_of_mass" && always && (values.mode ?? (values.points ? "relation" : "original")) === "original";
}

const turned = (turn: number[] | undefined): boolean => (turn ?? []).slice(1).some((v) => v !== 0);

/**
 * A foot or hand of which something else is asked in some frames no longer has to stay there where the
 * capture had it; before and after, it still does.
 */
export function freed(recipe: Recipe, step: number, point: string, [start, end]: [number, number], frames: number, rate: number): Recipe {
  // To be somewhere in one frame takes a way there and back.
  const way = start === end ? Math.round(HALF_S * rate) : 0;
  const first = start - way, last = end + way;
  const side = point.match(/^(left|right)_/)?.[1];
  const part = /ankle|heel|toe|foot/.test(point) ? `${side}_foot` : /wrist|hand/.test(point) ? `${side}_hand` : "";
  for (const { kind, values, index } of wishesOf(recipe, step)) {
    if (kind !== "plant" || values.part !== part || values.mode !== "follow" || (values.priority ?? 1) >= LEAST) continue;
    const [from, to] = intervalOf(values, frames, rate);
    if (from > last || to < first) continue;
    const rest = [[from, first - 1], [last + 1, to]].filter((each) => each[0]! <= each[1]!);
    const [one, two] = rest.map((each) => ({ frames: each, seconds: undefined }));
    recipe = changeWish(recipe, step, index, one ?? { priority: LEAST });
    if (two) recipe = addWish(recipe, step, kind, { ...values, name: freeName(recipe, step, values.name), frames: two.frames });
  }
  return recipe;
}

/** Priority of what gives way to whatever the user drags. */
const LEAST = 4;
const HALF_S = 0.5;

/**
 * A point of the body is to be at a place in one frame: a new curve through it, one more place of a
 * curve that there is, or the place of a constraint that holds it. Where the step's method takes no
 * constraints (correct, retarget), a step of deform is added after it. Returns the recipe and which
 * constraint of which step it is about.
 */
export function pinPoint(
  recipe: Recipe, step: number, point: string, frame: number, place: Vec3, frames: number, rate: number,
): { recipe: Recipe; step: number; index: number } {
  if (["correct", "retarget"].includes(methodOf(recipe, step))) {
    if (methodOf(recipe, stepCount(recipe) - 1) !== "deform") recipe = withStep(recipe, "deform");
    step = stepCount(recipe) - 1;
  }
  const at = Math.round(frame);
  const reach = Math.round(HALF_S * rate);
  const free = (first: number, last: number): Recipe => freed(recipe, step, point, [first, last], frames, rate);
  const rounded = place.map((v) => Math.round(v * 1e5) / 1e5) as Vec3;
  for (const { kind, values, index } of wishesOf(recipe, step)) {
    if (values.point !== point) continue;
    const [first, last] = intervalOf(values, frames, rate);
    if (kind === "hit_at" || (kind === "hold_point" && at >= first && at <= last && (values.mode ?? "absolute") === "absolute"))
      return { recipe: changeWish(free(first, last), step, index, { place_m: rounded }), step, index };
    if (kind === "follow_curve" && (values.mode ?? "absolute") === "absolute") {
      const through = ((values.through ?? []) as Record<string, any>[]).map((each): Record<string, any> =>
        each.frame == null ? { ...each, frame: Math.round(each.second * rate), second: undefined } : { ...each });
      const known = through.find((each) => each.frame === at);
      if (known) known.place_m = rounded;
      else through.push({ frame: at, place_m: rounded });
      through.sort((a, b) => a.frame! - b.frame!);
      for (const each of through) if (each.second === undefined) delete each.second;
      const wider: [number, number] = [Math.max(0, Math.min(first, at - reach)), Math.min(frames - 1, Math.max(last, at + reach))];
      return {
        recipe: changeWish(free(...wider), step, index, { through, frames: wider, seconds: undefined }), step, index,
      };
    }
  }
  if (methodOf(recipe, step) === "pattern") {
    const values = { name: freeName(recipe, step, point), point, frame: at, place_m: rounded };
    return { recipe: addWish(recipe, step, "hit_at", values), step, index: wishesOf(recipe, step).length };
  }
  const around: [number, number] = [Math.max(0, at - reach), Math.min(frames - 1, at + reach)];
  recipe = free(...around);
  const values = {
    name: freeName(recipe, step, point.replaceAll("_", " ")), point,
    frames: around,
    through: [{ frame: at, place_m: rounded }],
    priority: 2,
  };
  return { recipe: addWish(recipe, step, "follow_curve", values), step, index: wishesOf(recipe, step).length };
}
