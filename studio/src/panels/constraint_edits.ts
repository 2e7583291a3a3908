// What rows and layers of constraints share: their schemas, and keeping a move.

import { edit, openStep, selection, welcome } from "../store";
import type { Wish } from "../recipe";
import type { Moved } from "./layers";
import { resolved, type Schema } from "./schema";

/** The schema of a kind. */
export function schemaOf(kind: string): Schema | null {
  const root = welcome.value?.recipe_schema;
  const found = root?.$defs?.Constraint?.properties?.[kind];
  return root && found ? resolved(found, root) : null;
}

export function isLayered(wish: Wish): boolean {
  return "priority" in (schemaOf(wish.kind)?.properties ?? { priority: 1 });
}

export function keepMove(moved: Moved | null, label: string): void {
  if (!moved) return;
  edit(moved.recipe, label);
  selection.value = { kind: "constraint", step: openStep.value, index: moved.index };
}
