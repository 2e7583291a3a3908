// Constraints of the open step with their times, and how edits of them are sent.

import { computed } from "@preact/signals";
import type { Goal, Stage } from "../messages";
import { mergeWord } from "../merge_word";
import { changeWish, removeWish, wishesOf, type Wish } from "../recipe";
import {
  documentState, drag, draft, edit, endDrag, goals, openStep, rate, recipe, selection,
  type Recipe,
} from "../store";
import { contactSource } from "./touch_state";
import { clipFrames } from "./view";
import { sameTiming, timingOf, timingValues, withoutPoint, type Timing } from "./timing";

export interface TimedWish { wish: Wish; name: string; priority: number; timing: Timing; goal: Goal | null }

export const stages = computed<Stage[]>(() => contactSource.value?.message.stages ?? []);

export const timedWishes = computed<TimedWish[]>(() => {
  if (!recipe.value) return [];
  const step = openStep.value;
  const found = goals.value?.message.goals.filter((each) => each.step === step) ?? [];
  return wishesOf(recipe.value, step).map((wish) => ({
    wish,
    name: String(wish.values.name ?? wish.kind.replaceAll("_", " ")),
    priority: Number(wish.values.priority ?? 1),
    timing: timingOf(wish, clipFrames.value, rate.value, stages.value),
    goal: found.find((each) => each.index === wish.index) ?? null,
  }));
});

export function selectWish(index: number, point?: number): void {
  const chosen = { kind: "constraint" as const, step: openStep.peek(), index };
  selection.value = point === undefined ? chosen : { ...chosen, point };
}

/** A constraint goes, or one point of it if it has others. */
export function removeConstraint(step: number, index: number, point?: number): void {
  const base = recipe.peek();
  const own = base && wishesOf(base, step)[index];
  if (!base || !own) return;
  const name = own.values.name ?? own.kind.replaceAll("_", " ");
  const left = point === undefined ? null : withoutPoint(own, point);
  if (left) {
    selection.value = { kind: "constraint", step, index };
    edit(changeWish(base, step, index, left), `remove a point of ${name}`);
  } else {
    selection.value = null;
    edit(removeWish(base, step, index), `remove ${name}`);
  }
}

export function removeWishAt(index: number, point?: number): void {
  removeConstraint(openStep.peek(), index, point);
}

/**
 * A change of one constraint's time while it is dragged: shown and solved at once, at most once in an
 * animation frame, and kept or given up in the end.
 */
export class TimeDrag {
  readonly start: Timing;
  private readonly base: Recipe;
  private readonly step = openStep.peek();
  private now: Timing;
  private request = 0;
  private shown = false;

  constructor(private readonly of: TimedWish) {
    this.base = recipe.peek()!;
    this.start = of.timing;
    this.now = of.timing;
  }

  private changed(): Recipe {
    return changeWish(this.base, this.step, this.of.wish.index, timingValues(this.of.wish, this.now));
  }

  show(timing: Timing): void {
    if (sameTiming(timing, this.now)) return;
    this.now = timing;
    this.shown = true;
    this.request ||= requestAnimationFrame(() => {
      this.request = 0;
      drag(this.changed());
    });
  }

  keep(label: string): void {
    this.stop();
    if (!sameTiming(this.now, this.start)) edit(this.changed(), label);
    else if (this.shown) endDrag();
  }

  giveUp(): void {
    this.stop();
    if (this.shown) endDrag();
  }

  private stop(): void {
    cancelAnimationFrame(this.request);
    this.request = 0;
  }
}

const PAUSE_MS = 250;
let nudged: { changed: Recipe; label: string; merge: string; document: string } | null = null;
let timer = 0;

/** A change by a key: shown at once, sent when the key rests; a run of them is one step of undo. */
export function nudgeTime(of: TimedWish, timing: Timing, label: string): void {
  const base = recipe.peek();
  const document = documentState.peek()?.id ?? "";
  if (!base || sameTiming(timing, of.timing)) return;
  const step = openStep.peek();
  const changed = changeWish(base, step, of.wish.index, timingValues(of.wish, timing));
  nudged = { changed, label, merge: mergeWord(`time ${step} ${of.wish.index}`), document };
  draft.value = changed;
  clearTimeout(timer);
  timer = window.setTimeout(flushNudge, PAUSE_MS);
}

export function flushNudge(): void {
  clearTimeout(timer);
  const last = nudged;
  nudged = null;
  if (last && last.document === documentState.peek()?.id) edit(last.changed, last.label, last.merge);
}

/** One change, kept at once. */
export function changeTime(of: TimedWish, timing: Timing, label: string): void {
  const base = recipe.peek();
  if (!base || sameTiming(timing, of.timing)) return;
  edit(changeWish(base, openStep.peek(), of.wish.index, timingValues(of.wish, timing)), label);
}
