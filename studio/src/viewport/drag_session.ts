// One drag towards the server: at most one question unanswered, always the latest next, and how long
// answers take until they are on the screen.

import { effect } from "@preact/signals";
import { drag, edit, endDrag, frame, motions, playing, problem, type MotionData, type Recipe } from "../store";

/** An answer that does not come by then is not waited for. */
const PATIENCE_MS = 150;
const MOST_KEPT = 500;

export class DragSession {
  /** From the move of the pointer to the first picture with its answer, in ms. */
  readonly latencies: number[] = [];
  /** Of that, from the question to the server's answer. */
  readonly answers: number[] = [];
  active = false;
  /** For the undo button. */
  label = "";
  private latest: Recipe | null = null;
  private latestAt = 0;
  private sent: Recipe | null = null;
  private askedAt = 0;
  private asked = false;
  /** When the moves were made that wait for an answer, or for a picture of it. */
  private waiting = NaN;
  private answered = NaN;
  private live: MotionData | undefined;
  private patience = 0;
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
      clearTimeout(this.patience);
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
  }

  private ask(): void {
    if (!this.active || !this.latest || this.latest === this.sent) return;
    this.sent = this.latest;
    this.asked = true;
    this.askedAt = performance.now();
    if (Number.isNaN(this.waiting)) this.waiting = this.latestAt;
    clearTimeout(this.patience);
    this.patience = window.setTimeout(() => this.givenUpWaiting(), PATIENCE_MS);
    drag(this.latest);
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

  release(): void {
    if (!this.active) return;
    this.active = false;
    clearTimeout(this.patience);
    this.waiting = NaN;
    if (this.latest) edit(this.latest, this.label);
    this.latest = null;
  }

  cancel(): void {
    if (!this.active) return;
    this.active = false;
    clearTimeout(this.patience);
    this.waiting = this.answered = NaN;
    if (this.latest) endDrag();
    this.latest = null;
  }

  dispose(): void {
    this.stop();
  }
}

function noted(list: number[], value: number): void {
  list.push(value);
  if (list.length > MOST_KEPT) list.shift();
}
