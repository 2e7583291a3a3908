// The playback clock, and what buttons and keys do to it.

import { batch, effect, signal } from "@preact/signals";
import { frame, loop, playing, playRange, speed } from "../store";
import { keyEvents } from "./events";
import { playFrames, playRate } from "./view";

export const SPEEDS = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 4];
const FASTEST = 8;
/** A tab that was hidden, or a long pause of the page, counts as no more than this. */
const LONGEST_STEP_MS = 100;

/** The cursor is in someone's hand: the clock waits. */
export const scrubbing = signal(false);
/** The speed that play starts with; J and L double from it. */
const chosenSpeed = signal(1);

/** First and last frame of playback. */
export function playBounds(): [number, number] {
  const end = Math.max(0, playFrames.peek() - 1);
  const [first, last] = playRange.peek() ?? [0, end];
  const low = Math.max(0, Math.min(first, end));
  return [low, Math.max(low, Math.min(last, end))];
}

/** Where the cursor is after some frames of playback. The last frame is held as long as the others. */
export function advanced(
  position: number, by: number, first: number, last: number, looping: boolean,
): { position: number; ended: boolean } {
  const count = last - first + 1;
  const next = position + by;
  if (by >= 0 && next > last) {
    if (!looping) return { position: last, ended: true };
    if (next >= last + 1) return { position: first + ((next - last - 1) % count), ended: false };
  }
  if (by < 0 && next < first) {
    if (!looping) return { position: first, ended: true };
    if (next <= first - 1) return { position: last - ((first - 1 - next) % count), ended: false };
  }
  return { position: next, ended: false };
}

let request = 0;
let lastMs = 0;
let position = 0;
let written = Number.NaN;

function tick(now: number): void {
  request = requestAnimationFrame(tick);
  const seconds = Math.max(0, Math.min(now - lastMs, LONGEST_STEP_MS)) / 1000;
  lastMs = now;
  if (scrubbing.peek()) return;
  // Somebody else has moved the cursor: go on from there.
  if (frame.peek() !== written) position = frame.peek();
  const [first, last] = playBounds();
  const after = advanced(position, playRate.peek() * speed.peek() * seconds, first, last, loop.peek());
  position = after.position;
  written = clamped(position);
  batch(() => {
    frame.value = written;
    if (after.ended) playing.value = false;
  });
}

effect(() => {
  const runs = playing.value;
  cancelAnimationFrame(request);
  if (runs) {
    lastMs = performance.now();
    written = Number.NaN;
    request = requestAnimationFrame(tick);
  } else if (!Number.isInteger(frame.peek())) {
    // Edits are about whole frames: rest on one.
    frame.value = clamped(Math.round(frame.peek()));
  }
});

// A shorter clip takes the cursor along.
effect(() => {
  if (playFrames.value > 0 && frame.peek() > playFrames.value - 1) frame.value = playFrames.value - 1;
});

function clamped(at: number): number {
  return Math.max(0, Math.min(at, Math.max(0, playFrames.peek() - 1)));
}

/** Put the cursor on a whole frame. */
export function goTo(at: number): void {
  if (Number.isFinite(at)) frame.value = clamped(Math.round(at));
}

function begin(): void {
  const [first, last] = playBounds();
  batch(() => {
    if (!loop.peek()) {
      if (speed.peek() > 0 && frame.peek() >= last) frame.value = first;
      if (speed.peek() < 0 && frame.peek() <= first) frame.value = last;
    }
    playing.value = playFrames.peek() > 1;
  });
}

export function playPause(): void {
  if (playing.peek()) return stop();
  speed.value = chosenSpeed.peek();
  begin();
}

export function stop(): void {
  playing.value = false;
}

/** L (1), J (-1) and K (0): again in the same direction is twice as fast, up to 8 times. */
export function play(direction: 1 | 0 | -1): void {
  if (direction === 0) return stop();
  const same = playing.peek() && Math.sign(speed.peek()) === direction;
  if (same) {
    const faster = Math.max(Math.abs(speed.peek()), Math.min(FASTEST, 2 * Math.abs(speed.peek())));
    speed.value = direction * faster;
    return;
  }
  speed.value = direction * chosenSpeed.peek();
  begin();
}

/** From the menu: counts for what plays now and for the next time. */
export function chooseSpeed(wanted: number): void {
  chosenSpeed.value = wanted;
  speed.value = speed.peek() < 0 && playing.peek() ? -wanted : wanted;
}

export function step(by: number): void {
  stop();
  goTo(frame.peek() + by);
}

export function toStart(): void {
  goTo(playBounds()[0]);
}

export function toEnd(): void {
  goTo(playBounds()[1]);
}

/** The next frame in which something begins, ends or is passed. */
export function nextKeyEvent(): void {
  stop();
  const here = Math.round(frame.peek());
  const next = keyEvents.peek().find((each) => each.frame > here);
  goTo(next ? next.frame : playFrames.peek() - 1);
}

export function previousKeyEvent(): void {
  stop();
  const here = Math.round(frame.peek());
  const before = keyEvents.peek().filter((each) => each.frame < here);
  goTo(before.at(-1)?.frame ?? 0);
}

export function toggleLoop(): void {
  loop.value = !loop.peek();
}

/** Playback starts, or ends, at the cursor. */
export function rangeFromHere(at = frame.peek()): void {
  const [, last] = playBounds();
  putRange(Math.round(at), Math.max(last, Math.round(at)));
}

export function rangeToHere(at = frame.peek()): void {
  const [first] = playBounds();
  putRange(Math.min(first, Math.round(at)), Math.round(at));
}

export function wholeRange(): void {
  playRange.value = null;
}

/** A range that is the whole clip is none. */
export function putRange(first: number, last: number): void {
  const end = Math.max(0, playFrames.peek() - 1);
  const low = Math.max(0, Math.min(first, last, end));
  const high = Math.min(end, Math.max(first, last, 0));
  playRange.value = low === 0 && high === end ? null : [low, high];
}
