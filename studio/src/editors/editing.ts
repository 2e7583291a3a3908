// What all editors do: change settings of the open step, once a frame while something is dragged.

import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { FigureData, Recipe } from "../store";
import * as store from "../store";
import { documentState, draft, edit, endDrag, figures, motions, openStep, recipe, welcome } from "../store";
import { contentOf, methodOf, wishesOf, withSettings, type Wish } from "../recipe";

export type Schema = Record<string, any>;

/** Follow `$ref`, and take the part of an `anyOf` that is not null. */
export function resolved(schema: Schema | undefined, root: Schema): Schema {
  if (!schema) return {};
  if (schema.$ref) {
    const name = String(schema.$ref).split("/").pop()!;
    return resolved(root.$defs?.[name], root);
  }
  if (schema.anyOf) {
    const parts = (schema.anyOf as Schema[]).filter((each) => each.type !== "null");
    if (parts.length === 1) return { ...schema, anyOf: undefined, ...resolved(parts[0], root) };
  }
  return schema;
}

/** The schema of a method's settings. */
export function settingsSchema(method: string): Schema {
  const root = welcome.value?.recipe_schema ?? {};
  const step = resolved(root.$defs?.Step?.properties?.[method], root);
  return resolved(step.properties?.settings, root);
}

export function schemaDefault(method: string, key: string): any {
  return settingsSchema(method).properties?.[key]?.default;
}

/** Whether constraints of a kind (hold_point) have a field. */
export function wishHas(kind: string, field: string): boolean {
  const root = welcome.value?.recipe_schema ?? {};
  const name = kind.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return root.$defs?.[name]?.properties?.[field] !== undefined;
}

/** A setting of the open step: as written, else of its preset, else the default. */
export function settingOf(key: string): any {
  const now = recipe.value;
  if (!now) return undefined;
  const method = methodOf(now, openStep.value);
  const settings = contentOf(now, openStep.value).settings ?? {};
  if (settings[key] !== undefined) return settings[key];
  return presetValues(method, settings)[key] ?? schemaDefault(method, key);
}

/** What the chosen preset changes; only `correct` has one in its settings. */
export function presetValues(method: string, settings: Record<string, any>): Record<string, any> {
  const name = settings.preset ?? schemaDefault(method, "preset");
  return (name && store.presetsOf(method)[name]) || {};
}

/** Keep a change of the open step's settings. */
export function changeSettings(changed: Record<string, any>, label: string, merge = ""): void {
  const now = recipe.value;
  if (now) edit(withSettings(now, openStep.value, changed), label, merge);
}

/** The constraint that is selected in the open step, or the last one about a point that is: as after a drag. */
export const selectedWish = computed<Wish | null>(() => {
  const now = recipe.value;
  const chosen = store.selection.value;
  if (!now || !chosen) return null;
  const wishes = wishesOf(now, openStep.value);
  if (chosen.kind === "point") return wishes.filter((each) => each.values.point === chosen.name).at(-1) ?? null;
  if (chosen.kind !== "constraint" || chosen.step !== openStep.value) return null;
  return wishes[chosen.index] ?? null;
});

/** The body that constraints of the open step speak of. */
export const body = computed<FigureData | null>(() => {
  const now = recipe.value;
  const moved = now !== null && openStep.value > 0 && methodOf(now, 0) === "retarget";
  const order = moved ? (["after", "before"] as const) : (["before", "after"] as const);
  for (const which of order) {
    const found = figures.value.get(motions.value.get(which)?.figure ?? "");
    if (found) return found;
  }
  return null;
});

/** A signal's value as long as the document is open that it came for. */
export function ofThisDocument<T>(source: Signal<T | null>): ReadonlySignal<T | null> {
  const owner = signal("");
  effect(() => {
    if (source.value) owner.value = documentState.peek()?.id ?? "";
  });
  return computed(() => (source.value && owner.value === (documentState.value?.id ?? "") ? source.value : null));
}

/** At most one call for each frame of the screen, with what was given last. */
export function onceAFrame<T extends unknown[]>(act: (...given: T) => void): { (...given: T): void; drop(): void } {
  let waiting = 0;
  let last: T;
  const call = (...given: T): void => {
    last = given;
    if (waiting) return;
    waiting = requestAnimationFrame(() => {
      waiting = 0;
      act(...last);
    });
  };
  call.drop = (): void => {
    cancelAnimationFrame(waiting);
    waiting = 0;
  };
  return call;
}

let gestures = 0;
/** A word for undo that no earlier gesture has. */
export function newGesture(what: string): string {
  gestures += 1;
  return `${what} ${gestures}`;
}

/** Follow a pointer until it is let go; Escape or a lost pointer gives up. */
export function followPointer(
  event: PointerEvent, move: (event: PointerEvent) => void, done: (kept: boolean) => void,
): void {
  if (event.button !== 0) return;
  event.preventDefault();
  const target = event.currentTarget as Element & HTMLElement;
  const id = event.pointerId;
  target.setPointerCapture(id);
  target.focus?.({ preventScroll: true });
  const ended = new AbortController();
  const listen = { signal: ended.signal };
  const end = (kept: boolean): void => {
    ended.abort();
    if (target.hasPointerCapture(id)) target.releasePointerCapture(id);
    done(kept);
  };
  target.addEventListener("pointermove", (e) => (e as PointerEvent).pointerId === id && move(e as PointerEvent), listen);
  target.addEventListener("pointerup", (e) => (e as PointerEvent).pointerId === id && end(true), listen);
  target.addEventListener("pointercancel", () => end(false), listen);
  addEventListener("keydown", (e) => {
    if (e.key !== "Escape") return;
    e.stopPropagation();
    end(false);
  }, { ...listen, capture: true });
}

/**
 * A drag of something in the recipe: kept on release, as it was when given up. Solved on the way
 * only where that is quick: stages of leaps are not.
 */
export function recipeDrag(label: string, solve = true): { show(changed: Recipe): void; end(kept: boolean): void } {
  let last: Recipe | null = null;
  const send = onceAFrame((changed: Recipe) => store.drag(changed));
  return {
    show(changed) {
      last = changed;
      draft.value = changed;
      if (solve) send(changed);
    },
    end(kept) {
      send.drop();
      if (!last) return;
      if (kept) edit(last, label);
      else if (solve) endDrag();
      else draft.value = null;
    },
  };
}

export const words = (name: string): string => name.replaceAll("_", " ");
export const round = (value: number, digits = 4): number => Number(value.toFixed(digits));
