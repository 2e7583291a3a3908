// Which frames are in sight: the map between frames and pixels. Frame n is drawn around its number:
// it reaches from n - 0.5 to n + 0.5, so a bar covers its first and last frame whole.

import { batch, computed, effect, signal } from "@preact/signals";
import { current, documentState, frame, frameCount, motions, rate } from "../store";

/** Room left and right of the clip, so that its ends can be grabbed. */
const MARGIN_PX = 10;
/** A frame is never wider than this. */
const WIDEST_PX = 48;

/** Width of the lanes, without their labels. */
export const trackWidth = signal(800);
/** 1 shows the whole clip, 2 half of it. */
export const zoom = signal(1);
/** The frame wanted at the left border; `origin` is what is possible. */
const wantedOrigin = signal(-1);

/** How many frames the clip has that goes in: edits are about those. */
export const clipFrames = computed(() => Math.max(1, motions.value.get("before")?.frames ?? frameCount.value));
/** How many frames can be played: a leap that was made higher may be longer than the clip. */
export const playFrames = computed(() => current.value?.frames ?? frameCount.value);
export const playRate = computed(() => current.value?.rate ?? rate.value);
/** How many frames the lanes show. */
export const laneFrames = computed(() => Math.max(clipFrames.value, playFrames.value));

const fitted = computed(() => Math.max(0.01, trackWidth.value - 2 * MARGIN_PX) / laneFrames.value);
export const mostZoom = computed(() => Math.max(1, WIDEST_PX / fitted.value));
/** Pixels a frame. */
export const pixels = computed(() => fitted.value * Math.min(mostZoom.value, Math.max(1, zoom.value)));
/** Frames in sight. */
export const span = computed(() => trackWidth.value / pixels.value);
/** The frame at the left border of the lanes. */
export const origin = computed(() => {
  const margin = MARGIN_PX / pixels.value;
  const least = -0.5 - margin;
  return Math.max(least, Math.min(wantedOrigin.value, laneFrames.value - 0.5 + margin - span.value));
});

let track: HTMLElement | null = null;

/** The element whose left border is the lanes' left border. */
export function measureFrom(element: HTMLElement | null): void {
  track = element;
}

const left = (): number => track?.getBoundingClientRect().left ?? 0;

/** Where a frame is on the page (clientX). */
export function frameToX(at: number): number {
  return left() + (at - origin.peek()) * pixels.peek();
}

/** Which frame is at a place of the page, with fractions. */
export function xToFrame(x: number): number {
  return origin.peek() + (x - left()) / pixels.peek();
}

/** Zoom so that what is at a place of the page stays there; without one, the cursor or the middle stays. */
export function zoomTo(wanted: number, x?: number): void {
  const visible = frame.peek() >= origin.peek() && frame.peek() <= origin.peek() + span.peek();
  const fixed = x !== undefined ? xToFrame(x) : visible ? frame.peek() : origin.peek() + span.peek() / 2;
  const share = (fixed - origin.peek()) / span.peek();
  batch(() => {
    zoom.value = Math.max(1, Math.min(mostZoom.peek(), wanted));
    wantedOrigin.value = fixed - share * span.value;
  });
}

export function zoomBy(factor: number, x?: number): void {
  zoomTo(Math.min(zoom.peek(), mostZoom.peek()) * factor, x);
}

export function fit(): void {
  zoomTo(1);
}

/** Zoom to some frames, with a little around them. */
export function fitFrames(first: number, last: number): void {
  const around = Math.max(2, 0.05 * (last - first));
  batch(() => {
    zoom.value = Math.max(1, trackWidth.peek() / (last - first + 1 + 2 * around) / fitted.peek());
    wantedOrigin.value = first - 0.5 - around;
  });
}

export function panBy(px: number): void {
  panTo(origin.peek() + px / pixels.peek());
}

export function panTo(first: number): void {
  wantedOrigin.value = first;
  wantedOrigin.value = origin.peek();
}

/** Pan no further than needed for a frame to be in sight. */
export function bringIntoSight(at: number): void {
  const room = Math.min(MARGIN_PX / pixels.peek(), span.peek() / 4);
  if (at - room < origin.peek()) panTo(at - room);
  else if (at + room > origin.peek() + span.peek()) panTo(at + room - span.peek());
}

/** Turn the page when the cursor leaves it. */
export function turnPage(at: number, backwards: boolean): void {
  if (at >= origin.peek() && at <= origin.peek() + span.peek()) return;
  panTo(at - (backwards ? 0.9 : 0.1) * span.peek());
}

let shownDocument = "";
effect(() => {
  const id = documentState.value?.id ?? "";
  if (id !== shownDocument) batch(() => {
    zoom.value = 1;
    wantedOrigin.value = -1;
  });
  shownDocument = id;
});

declare global {
  interface Window {
    poiseTimeline?: { frameToX(frame: number): number; xToFrame(x: number): number };
  }
}
window.poiseTimeline = { frameToX, xToFrame };
