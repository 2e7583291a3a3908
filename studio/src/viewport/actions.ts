// What keys and buttons do to the viewport; nothing while there is none.

import { signal } from "@preact/signals";
import { Vector3 } from "three";
import { shown } from "../store";
import type { ViewName } from "./camera";
import type { Engine } from "./engine";

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

/**
 * Move what is selected without a pointer: right, up and towards the eye, in metres, along the axes
 * nearest to the picture's. Whether there was something to move.
 */
export function nudge(right: number, up: number, towards: number): boolean {
  const hold = engine?.manipulator;
  const grip = engine?.selectedGrip();
  if (!engine || !hold || !grip || hold.held || !hold.take(grip)) return false;
  const place = new Vector3(), way = new Vector3();
  grip.at(place);
  const camera = engine.rig.active;
  const aside = nearestAxis(way.setFromMatrixColumn(camera.matrixWorld, 0)).clone();
  const back = nearestAxis(way.setFromMatrixColumn(camera.matrixWorld, 2).setY(0)).clone();
  place.addScaledVector(aside, right).addScaledVector(back, towards);
  place.y += up;
  hold.moveTo(place, performance.now());
  hold.drop();
  return true;
}

function nearestAxis(way: Vector3): Vector3 {
  return Math.abs(way.x) >= Math.abs(way.z) ? way.set(Math.sign(way.x) || 1, 0, 0) : way.set(0, 0, Math.sign(way.z) || 1);
}
