// Layers of constraints: lists by priority, and moves from one to another. Only their order counts.

import type { Recipe } from "../store";
import { changeWish, moveWish, wishesOf, type Wish } from "../recipe";

export interface Layer { priority: number; wishes: Wish[] }
/** A recipe after a move, and where the constraint went. */
export interface Moved { recipe: Recipe; index: number }

export function priorityOf(wish: Wish): number {
  return typeof wish.values.priority === "number" ? wish.values.priority : 1;
}

/** The greatest first. */
export function layersOf(wishes: Wish[]): Layer[] {
  const all = new Map<number, Wish[]>();
  for (const each of wishes) {
    const priority = priorityOf(each);
    all.set(priority, [...(all.get(priority) ?? []), each]);
  }
  return [...all].map(([priority, found]) => ({ priority, wishes: found })).sort((a, b) => a.priority - b.priority);
}

/** Into a layer, before one of its constraints, or at its end. */
export function toLayer(recipe: Recipe, step: number, index: number, priority: number, before?: number): Moved {
  const changed = changeWish(recipe, step, index, { priority });
  const last = wishesOf(recipe, step).filter((each) => each.index !== index && priorityOf(each) === priority).at(-1)?.index;
  const goal = before ?? (last === undefined ? index : last + 1);
  const to = goal > index ? goal - 1 : goal;
  return { recipe: moveWish(changed, step, index, to), index: to };
}

/** Into a layer of its own, just above the one that has this priority now. */
export function toNewLayer(recipe: Recipe, step: number, index: number, priority: number, layered: (wish: Wish) => boolean): Moved {
  let changed = recipe;
  const taken = wishesOf(recipe, step).some((each) => each.index !== index && priorityOf(each) === priority);
  if (taken) {
    for (const each of wishesOf(recipe, step)) {
      if (each.index !== index && layered(each) && priorityOf(each) >= priority)
        changed = changeWish(changed, step, each.index, { priority: priorityOf(each) + 1 });
    }
  }
  return { recipe: changeWish(changed, step, index, { priority }), index };
}

/** One layer up (-1) or down (1); past the ends a layer of its own. Null: it cannot go further. */
export function byOne(recipe: Recipe, step: number, index: number, by: 1 | -1, layered: (wish: Wish) => boolean): Moved | null {
  const layers = layersOf(wishesOf(recipe, step).filter(layered));
  const at = layers.findIndex((each) => each.wishes.some((wish) => wish.index === index));
  const own = layers[at];
  if (!own) return null;
  const next = layers[at + by];
  if (next) return toLayer(recipe, step, index, next.priority);
  if (own.wishes.length === 1) return null;
  return toNewLayer(recipe, step, index, by < 0 ? own.priority : own.priority + 1, layered);
}
