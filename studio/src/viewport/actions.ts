// What keys and buttons do to the viewport; nothing while there is none.

import { signal } from "@preact/signals";
import { Vector3 } from "three";
import { notice, selection, shown } from "../store";
import type { ViewName } from "./camera";
import type { Engine } from "./engine";
import { pointsOf } from "./points";

export type { ViewName } from "./camera";

let engine: Engine | null = null;

/** For buttons that show what is on. */
export const viewName = signal<ViewName>("perspective");
export const following = signal(true);

export function attach(to: Engine | null): void {
  engine = to;
  if (!engine) return;
  engine.rig.following = following.peek();
  if (viewName.peek() !== "perspective") engine.setView(viewName.peek());
}

export function setView(name: ViewName): void {
  viewName.value = name;
  engine?.setView(name);
}

/** What is selected, or the whole figure, fills the picture. */
export function frameView(): void {
  engine?.frameSelection();
}

export function toggleFollow(): void {
  following.value = !following.peek();
  if (!engine) return;
  engine.rig.following = following.peek();
  engine.invalidate();
}

export type Overlay = keyof typeof shown.value;

export function toggleShown(name: Overlay): void {
  shown.value = { ...shown.peek(), [name]: !shown.peek()[name] };
}

/** Select the next point of the body, or the one before, without a pointer. */
export function selectNext(by: 1 | -1): void {
  const figure = engine?.moment.figure;
  if (!figure) return;
  const names = pointsOf(figure).map((each) => each.name);
  const chosen = selection.peek();
  const at = chosen?.kind === "point" ? names.indexOf(chosen.name) : by > 0 ? -1 : names.length;
  selection.value = { kind: "point", name: names[(at + by + names.length) % names.length]! };
}

/**
 * Move what is selected without a pointer: right, up and towards the eye, in metres, along the axes
 * nearest to the picture's.
 */
export function nudge(right: number, up: number, towards: number): void {
  const grip = engine?.selectedGrip();
  if (!engine) return;
  if (!grip) return notice("Select a joint or a goal first: then Alt and arrows move it.");
  const step = new Vector3(), way = new Vector3();
  [right, up, towards].forEach((by, column) =>
    step.addScaledVector(nearestAxis(way.setFromMatrixColumn(engine!.rig.active.matrixWorld, column)), by));
  engine.nudging.by(grip, step);
}

/** Keep what keys have moved, before something else is done. */
export function settleNudges(): void {
  engine?.nudging.settle();
}

function nearestAxis(way: Vector3): Vector3 {
  const sizes = way.toArray().map(Math.abs);
  const longest = sizes.indexOf(Math.max(...sizes));
  return way.fromArray(way.toArray().map((v, i) => (i === longest ? Math.sign(v) : 0)));
}
