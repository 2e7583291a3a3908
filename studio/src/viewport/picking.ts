// What is under the pointer: the nearest grip on the screen, or on the floor.

import { Plane, Raycaster, Vector2, Vector3, type Camera } from "three";
import type { Grip } from "./grips";

/** A grip on the floor comes after marks that are drawn on top of it. */
const FLOOR_SCORE = 9;
/** Of two marks in the same spot the nearer one counts: so many pixels for a metre. */
const BEHIND_PX_M = 4;

export class Picker {
  readonly raycaster = new Raycaster();
  private readonly place = new Vector3();
  private readonly seen = new Vector3();
  private readonly plane = new Plane();
  private readonly pointer = new Vector2();

  constructor(private readonly canvas: HTMLElement, private readonly camera: () => Camera) {}

  /** Where in the picture the pointer is, from -1 to 1. */
  spot(event: { clientX: number; clientY: number }): Vector2 {
    const box = this.canvas.getBoundingClientRect();
    return this.pointer.set(
      (2 * (event.clientX - box.left)) / box.width - 1,
      1 - (2 * (event.clientY - box.top)) / box.height,
    );
  }

  /** A ray from the eye through the pointer. */
  aim(event: { clientX: number; clientY: number }): void {
    this.raycaster.setFromCamera(this.spot(event), this.camera());
  }

  /** Pixels of the page, from a place in the world; null: behind the eye. */
  project(place: Vector3, out: Vector2): Vector2 | null {
    const box = this.canvas.getBoundingClientRect();
    const seen = this.seen.copy(place).project(this.camera());
    if (seen.z > 1) return null;
    return out.set(box.left + (0.5 + 0.5 * seen.x) * box.width, box.top + (0.5 - 0.5 * seen.y) * box.height);
  }

  nearest(event: { clientX: number; clientY: number }, grips: readonly Grip[], up: Vector3): Grip | null {
    this.aim(event);
    const { ray } = this.raycaster;
    const spot = this.pointer;
    let best: Grip | null = null, least = Infinity, nearestDepth = Infinity;
    for (const pass of [0, 1])
      for (const grip of grips) {
        if (!(grip.offered?.() ?? true) || !grip.at(this.place)) continue;
        const depth = this.place.distanceTo(ray.origin);
        if (pass === 0) {
          nearestDepth = Math.min(nearestDepth, depth);
          continue;
        }
        let score = Infinity;
        if (grip.pixels > 0 && this.project(this.place, spot)) {
          const away = Math.hypot(spot.x - event.clientX, spot.y - event.clientY);
          if (away <= grip.pixels) score = away + BEHIND_PX_M * (depth - nearestDepth) - (grip.key.startsWith("point") ? 0 : 3);
        }
        if (grip.floor_m && score === Infinity) {
          this.plane.setFromNormalAndCoplanarPoint(up, this.place);
          const hit = ray.intersectPlane(this.plane, this.seen);
          if (hit && hit.distanceTo(this.place) < grip.floor_m) score = FLOOR_SCORE + hit.distanceTo(this.place);
        }
        if (score < least) {
          least = score;
          best = grip;
        }
      }
    return best;
  }
}
