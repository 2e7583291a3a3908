// Other joints for a constraint. What carries it without helping it must not be moved by lesser
// constraints, which it could not make up for (constraints/nesting.py): it then joins their layer.

import type { Figure } from "../messages";
import type { Recipe } from "../store";
import { changeWish, intervalOf, wishesOf, type Wish } from "../recipe";
import { recruitsOf } from "./recruits";

export interface Recruited {
  recipe: Recipe;
  /** The layer that it had to go down to, and whose that is. */
  down: { layer: number; to: string } | null;
}

export function withRecruit(
  recipe: Recipe, step: number, index: number, recruit: Record<string, any> | undefined, figure: Figure, frames: number, rate: number,
): Recruited {
  const changed = changeWish(recipe, step, index, { recruit });
  const own = wishesOf(changed, step)[index]!;
  const usual = recruitsOf(figure, own.kind, { ...own.values, recruit: undefined });
  const helping = recruitsOf(figure, own.kind, own.values);
  const [first, last] = intervalOf(own.values, frames, rate);
  const disturbs = (other: Wish): boolean => {
    const [from, to] = intervalOf(other.values, frames, rate);
    if (layerOf(other) <= layerOf(own) || from > last || to < first) return false;
    const moved = recruitsOf(figure, other.kind, other.values);
    const idle = (joint: number): boolean => usual.joints.has(joint) && !helping.joints.has(joint);
    return [...moved.joints].some(idle) || (moved.translation && usual.translation && !helping.translation);
  };
  const lowest = wishesOf(changed, step).filter(disturbs).sort((a, b) => layerOf(a) - layerOf(b)).at(-1);
  if (!lowest) return { recipe: changed, down: null };
  const layer = layerOf(lowest);
  return { recipe: changeWish(changed, step, index, { priority: layer }), down: { layer, to: lowest.values.name ?? lowest.kind } };
}

const layerOf = (wish: Wish): number => wish.values.priority ?? 1;
