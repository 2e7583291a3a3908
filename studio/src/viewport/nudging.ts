// Moving what is selected by keys: shown at once as a drag is, kept when the keys rest; a run of them is
// one step of undo.

import { computed, effect } from "@preact/signals";
import { Vector3 } from "three";
import { mergeWord } from "../merge_word";
import { documentState, frame, selection } from "../store";
import type { Grip } from "./grips";
import type { Manipulator } from "./manipulator";

const REST_MS = 250;
const documentId = computed(() => documentState.value?.id);

export class Nudging {
  private grip: Grip | null = null;
  private readonly goal = new Vector3();
  private timer = 0;
  private readonly stop: () => void;

  constructor(private readonly hold: Manipulator) {
    this.stop = effect(() => {
      // What is held is about this selection in this frame.
      void [selection.value, frame.value, documentId.value];
      this.settle();
    });
  }

  /** By so much in the world, if it can be moved. */
  by(grip: Grip, step: Vector3): void {
    const { hold } = this;
    if (!this.grip || hold.held !== this.grip) {
      this.grip = null;
      if (hold.held || !hold.take(grip) || !grip.at(this.goal)) return;
      this.grip = grip;
    }
    const word = mergeWord(`nudge ${this.grip.key} at ${Math.round(frame.peek())}`);
    hold.moveTo(this.goal.add(step), performance.now(), word);
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.settle(), REST_MS);
  }

  /** Keep what was moved, if anything was. */
  settle(): void {
    clearTimeout(this.timer);
    const { grip, hold } = this;
    this.grip = null;
    if (grip && hold.held === grip) hold.drop();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.stop();
  }
}
