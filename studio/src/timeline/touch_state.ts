// The contact bars that are shown: of the physics, or as just edited, or in the middle of a drag.

import { computed, effect, signal } from "@preact/signals";
import type { Touch } from "../messages";
import {
  documentState, editContacts, frame, link, notice, physics, problem, selection,
  type PhysicsData,
} from "../store";
import {
  equalTouches, indexOfTouch, removeTouch, splitTouch, tidy, toggleSliding,
} from "./contacts";
import { clipFrames } from "./view";
import { partName } from "./words";

/** Of the capture and of the result; the physics of a drag come and go without them. */
export const captured = computed<PhysicsData | null>(() => physics.value.get("before") ?? null);
export const result = computed<PhysicsData | null>(() => physics.value.get("after") ?? null);
/** Whose contacts: the result's, before there is one the capture's. */
export const contactSource = computed<PhysicsData | null>(() => result.value ?? captured.value);
export const parts = computed(() => contactSource.value?.message.parts ?? []);
/** Bars in the middle of a drag; they keep the order of the others, a new one is the last. */
export const preview = signal<Touch[] | null>(null);
/** Sent, and not in the document yet; the oldest first. */
const underWay = signal<Touch[][]>([]);
/** Which contacts the recipe names: they stand in files, one for every edit. */
const named = computed(() => {
  const steps: Record<string, any>[] = documentState.value?.recipe.steps ?? [];
  return JSON.stringify(steps.map((each) => Object.values(each)[0]?.contacts ?? null));
});
/** What was sent, by what the recipe calls it: undo and redo find it again. */
const known = new Map<string, Touch[]>();
/** What the recipe named when the physics came: other methods than deform are solved when asked to. */
const shownName = signal("");

const settled = computed<Touch[]>(() => {
  const latest = underWay.value.at(-1);
  if (latest) return latest;
  const edited = shownName.value === named.value ? undefined : known.get(named.value);
  return edited ?? tidy(contactSource.value?.message.touches ?? [], parts.value);
});
export const touches = computed<Touch[]>(() => preview.value ?? settled.value);
/** The capture's bars, where the result has others. */
export const ghosts = computed<Touch[]>(() => {
  const before = captured.value?.message.touches;
  if (!before) return [];
  const shown = touches.value;
  return before.filter((each) => !shown.some((other) => equalTouches([each], [other])));
});

effect(() => {
  // The state of the document is told before its physics.
  contactSource.value;
  shownName.value = named.peek();
});
let lastNamed = named.peek();
effect(() => {
  if (named.value === lastNamed) return;
  lastNamed = named.value;
  const [taken, ...rest] = underWay.peek();
  if (!taken) return;
  known.set(lastNamed, taken);
  underWay.value = rest;
});
effect(() => {
  const about = problem.value?.about;
  if (about === "edit_contacts" || about === "edit_recipe") underWay.value = underWay.peek().slice(1);
});
// Nobody knows whether what was sent before a break has arrived.
effect(() => {
  if (link.value === "lost") underWay.value = [];
});
let lastDocument = "";
effect(() => {
  const id = documentState.value?.id ?? "";
  if (id === lastDocument) return;
  lastDocument = id;
  underWay.value = [];
  preview.value = null;
});

export function settledTouches(): Touch[] {
  return settled.peek();
}

/** Keep an edit: put in order, sent, and the bar that it was about selected. */
export function keepTouches(wanted: Touch[], label: string, about?: Touch): void {
  // A result can be longer than the clip; contacts are the clip's.
  const end = clipFrames.peek() - 1;
  const inside = wanted.filter((each) => each.first <= end).map((each) => ({ ...each, last: Math.min(each.last, end) }));
  const next = tidy(inside, parts.peek());
  if (!equalTouches(next, settled.peek())) {
    underWay.value = [...underWay.peek(), next];
    editContacts(next, label);
  }
  preview.value = null;
  if (about) selectTouch(indexOfTouch(next, about));
}

const PAUSE_MS = 250;
let timer = 0;
let nudged: (() => void) | null = null;

/** A change by a key: shown at once, kept when the key rests. */
export function nudgeTouch(next: Touch[], index: number, label: string): void {
  preview.value = next;
  nudged = () => keepTouches(next, label, next[index]);
  clearTimeout(timer);
  timer = window.setTimeout(flushTouches, PAUSE_MS);
}

export function flushTouches(): void {
  clearTimeout(timer);
  nudged?.();
  nudged = null;
}

export function selectTouch(index: number): void {
  selection.value = index < 0 ? null : { kind: "touch", index };
}

export function selectedTouch(): number | null {
  const chosen = selection.peek();
  return chosen?.kind === "touch" && chosen.index < settled.peek().length ? chosen.index : null;
}

export function splitAt(index: number, at: number): void {
  const halves = splitTouch(settled.peek(), index, Math.round(at));
  const own = settled.peek()[index];
  if (!own) return;
  if (!halves) return notice("A contact of fewer than three frames cannot be split.");
  keepTouches(halves, `split contact of ${partName(own.part)}`, halves[index]);
}

export function removeAt(index: number): void {
  const own = settled.peek()[index];
  if (!own) return;
  keepTouches(removeTouch(settled.peek(), index), `remove contact of ${partName(own.part)}`);
  selection.value = null;
}

export function toggleAt(index: number): void {
  const own = settled.peek()[index];
  if (!own) return;
  const next = toggleSliding(settled.peek(), index);
  const label = own.sliding ? `let ${partName(own.part)} stand` : `let ${partName(own.part)} slide`;
  keepTouches(next, label, next[index]);
}

// For keys and buttons: about the bar that is selected. True when there is one.

/** Split the selected bar at the cursor. */
export function splitSelected(): boolean {
  const index = selectedTouch();
  if (index === null) return false;
  const own = settled.peek()[index]!;
  const at = Math.round(frame.peek());
  if (at < own.first || at > own.last) notice("Put the cursor inside the contact to split it there.");
  else splitAt(index, at);
  return true;
}

export function removeSelected(): boolean {
  const index = selectedTouch();
  if (index !== null) removeAt(index);
  return index !== null;
}

export function toggleSelected(): boolean {
  const index = selectedTouch();
  if (index !== null) toggleAt(index);
  return index !== null;
}
