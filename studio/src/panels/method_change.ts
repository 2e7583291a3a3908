// Another method for the open step. Retarget is nothing without a body: until one is chosen it is
// only what the user means to do, and the document does not hear of it.

import { computed, effect, signal } from "@preact/signals";
import { documentState, edit, notice, openStep, recipe, selection, takenBy } from "../store";
import {
  contentOf, keepsCapture, methodName, methodOf, retargets, wishesOf, withCharacter, withContent, withMethod, type Wish,
} from "../recipe";
import { showRight } from "./ui";

/** Retarget was chosen, its body was not. */
export const retargetWanted = signal(false);

const at = computed(() => `${openStep.value} ${documentState.value?.id} ${JSON.stringify(documentState.value?.recipe)}`);
effect(() => {
  if (at.value) retargetWanted.value = false;
});

export function changeMethod(method: string): void {
  const now = recipe.value;
  retargetWanted.value = false;
  if (!now || methodOf(now, openStep.value) === method) return;
  if (method === "retarget" && !now.character?.to) {
    retargetWanted.value = true;
    showRight("method");
  } else take(method);
}

/** Put the motion on the body of a file. */
export function ontoBody(to: string): void {
  const now = recipe.value;
  if (!now) return;
  openStep.value = 0;
  showRight("method");
  if (retargets(now)) edit(withCharacter(now, { to }), "choose the body");
  else take("retarget", { to });
}

/** Edit the open step in the style of a pattern. */
export function inStyleOf(pattern: string): void {
  const now = recipe.value;
  if (!now) return;
  showRight("method");
  if (methodOf(now, openStep.value) !== "pattern") take("pattern", { pattern });
  else edit(withContent(now, openStep.value, { ...contentOf(now, openStep.value), pattern }), "choose a pattern");
}

/** Constraints that the new method takes too are kept. */
function take(method: string, { to, pattern }: { to?: string; pattern?: string } = {}): void {
  const now = recipe.value!;
  const step = openStep.value;
  const all = wishesOf(now, step);
  // A leap, or a motion in the style of others, goes elsewhere with all of the body: what holds it
  // to the capture would hold it back.
  const holds = (wish: Wish): boolean => (method === "momentum" || method === "pattern") && keepsCapture(wish);
  const kept = all.filter((each) => takenBy(method).includes(each.kind) && !holds(each));
  const bare = withMethod(to ? withCharacter(now, { to }) : now, step, method);
  const constraints = kept.map(({ kind, values }) => ({ [kind]: values }));
  edit(withContent(bare, step, { ...contentOf(bare, step), constraints, pattern }), `method ${methodName(method).toLowerCase()}`);
  selection.value = null;
  // What every document starts with was nobody's wish: it goes without a word.
  const lost = all.filter((each) => !kept.includes(each) && !keepsCapture(each)).length;
  if (lost) notice(`${methodName(method)} does not take ${lost} of the constraints: left out. Undo brings them back.`);
}
