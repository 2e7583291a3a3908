// One drag towards the server: at most one question unanswered, always the latest next, and how long
// answers take until they are on the screen.

import { effect } from "@preact/signals";
import {
  draft, edit, endDrag, frame, motions, playing, problem, sendDrag, type MotionData, type Recipe,
} from "../store";

/** An answer that does not come by then is not waited for. */
const PATIENCE_MS = 150;
/** How often panels and timeline follow: to draw them for every move would keep the picture waiting. */
const PANELS_MS = 150;
const MOST_KEPT = 500;

export class DragSession {
  /** From the move of the pointer to the first picture with its answer, in ms. */
  readonly latencies: number[] = [];
  /** Of that, from the question to the server's answer. */
  readonly answers: number[] = [];
  active = false;
  /** For the undo button. */
  label = "";
  /** What the drag has made of the recipe up to now. */
  latest: Recipe | null = null;
  private latestAt = 0;
  private sent: Recipe | null = null;
  private askedAt = 0;
  private asked = false;
  /** When the moves were made that wait for an answer, or for a picture of it. */
  private waiting = NaN;
  private answered = NaN;
  private live: MotionData | undefined;
  private patience = 0;
  private panels = 0;
  private readonly stop: () => void;

  /** `answer`: the motion that was asked for is there, or is not waited for any longer. */
  constructor(private readonly answer: () => void) {
    this.live = motions.peek().get("live");
    const stopMotions = effect(() => {
      const live = motions.value.get("live");
      if (live === this.live) return;
      this.live = live;
      if (live) this.heard(true);
    });
    // A refused question is answered as well.
    const stopProblems = effect(() => {
      const about = problem.value?.about;
      if (about === "drag") this.heard(false);
      // What was let go is not taken: nothing of it is to stay on the screen.
      else if (about === "edit_recipe" && !this.active && this.live) endDrag();
    });
    this.stop = () => {
      stopMotions();
      stopProblems();
      this.stopTimers();
    };
  }

  begin(label: string): void {
    this.label = label;
    this.active = true;
    this.latest = this.sent = null;
    this.asked = false;
    this.waiting = this.answered = NaN;
    playing.value = false;
    frame.value = Math.round(frame.peek());
  }

  /** What the recipe is now; `at`: when the pointer moved. */
  move(recipe: Recipe, at: number): void {
    if (!this.active) return;
    this.latest = recipe;
    this.latestAt = at;
    if (!this.asked) this.ask();
    this.panels ||= window.setTimeout(() => this.showPanels(), PANELS_MS);
  }

  private showPanels(): void {
    this.panels = 0;
    if (this.latest) draft.value = this.latest;
  }

  private ask(): void {
    if (!this.active || !this.latest || this.latest === this.sent) return;
    this.sent = this.latest;
    this.asked = true;
    this.askedAt = performance.now();
    if (Number.isNaN(this.waiting)) this.waiting = this.latestAt;
    clearTimeout(this.patience);
    this.patience = window.setTimeout(() => this.givenUpWaiting(), PATIENCE_MS);
    sendDrag(this.latest);
  }

  private givenUpWaiting(): void {
    // What comes late counts from the first of the moves that wait: never better than it was.
    this.asked = false;
    this.ask();
    this.answer();
  }

  private heard(shown: boolean): void {
    if (!this.asked && Number.isNaN(this.waiting)) return;
    clearTimeout(this.patience);
    if (this.asked) noted(this.answers, performance.now() - this.askedAt);
    this.asked = false;
    if (shown && Number.isNaN(this.answered)) this.answered = this.waiting;
    this.waiting = NaN;
    // First the next question, so that the server works while we draw.
    this.ask();
    if (shown) this.answer();
  }

  /** Called after every picture. */
  rendered(): void {
    if (Number.isNaN(this.answered)) return;
    noted(this.latencies, performance.now() - this.answered);
    this.answered = NaN;
  }

  /** Whether the server still has a question. */
  get busy(): boolean {
    return this.asked && performance.now() - this.askedAt < PATIENCE_MS;
  }

  /** Keep it; with the same `merge` word in a row, drags are one step of undo. */
  release(merge = ""): void {
    if (!this.active) return;
    const made = this.ended();
    if (made) edit(made, this.label, merge);
  }

  cancel(): void {
    if (!this.active) return;
    this.answered = NaN;
    if (this.ended()) endDrag();
  }

  private ended(): Recipe | null {
    const made = this.latest;
    this.active = false;
    this.latest = null;
    this.waiting = NaN;
    this.stopTimers();
    return made;
  }

  private stopTimers(): void {
    clearTimeout(this.patience);
    clearTimeout(this.panels);
    this.panels = 0;
  }

  dispose(): void {
    this.stop();
  }
}

function noted(list: number[], value: number): void {
  list.push(value);
  if (list.length > MOST_KEPT) list.shift();
}
