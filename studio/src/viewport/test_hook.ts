// What browser tests ask the viewport; not for use by the page itself.

import { Quaternion, Vector3 } from "three";
import type { Engine } from "./engine";

export interface PoiseViewport {
  /** Pixels of the page where a joint, role, site or handle ("center_of_mass", "touch:0") is seen. */
  project(name: string): { x: number; y: number } | null;
  jointWorld(name: string): [number, number, number] | null;
  frameShown(): number;
  /** From a move to the first picture with the motion that answers it, in ms. */
  lastLatencies(): number[];
  /** Of those, the time until the server had answered. */
  lastAnswers(): number[];
  clearLatencies(): void;
  /** Totals: pictures, time of our code for them, time in the renderer; and our time for the last one. */
  renderStats(): { frames: number; cpuMs: number; renderMs: number; lastCpuMs: number };
  /** Drag something by so many metres, step by step as a pointer would; ends when it is let go. */
  dragTo(name: string, dx: number, dy: number, dz: number, steps?: number): Promise<boolean>;
  /** The same for a turn of a knob ("spin:0", "dial:2"), in degrees. */
  spinBy(name: string, degrees: number, steps?: number): Promise<boolean>;
  /** Turn a joint about the vertical, in degrees. */
  turnBy(name: string, degrees: number, steps?: number): Promise<boolean>;
  /** Names of all that can be taken hold of now. */
  grips(): string[];
  /** So many more figures beside the first, for measuring. */
  crowd(copies: number): void;
  /** Draw now, even if nothing has changed. */
  redraw(): void;
}

declare global {
  interface Window { poiseViewport?: PoiseViewport }
}

const UP = new Vector3(0, 1, 0);
const nextPicture = (): Promise<number> => new Promise((go) => requestAnimationFrame(go));

export function exposeHook(engine: Engine): () => void {
  const placeOf = (name: string): Vector3 | null => {
    const place = new Vector3();
    return engine.gripNamed(name)?.at(place) ? place : null;
  };
  const inSteps = async (name: string, steps: number, put: (share: number, start: Vector3) => void): Promise<boolean> => {
    const { manipulator, session } = engine;
    const grip = engine.gripNamed(name);
    const start = placeOf(name);
    if (!grip || !start || !manipulator.take(grip)) return false;
    for (let i = 1; i <= steps; i += 1) {
      await nextPicture();
      put(i / steps, start);
    }
    for (let i = 0; i < 30 && session.busy; i += 1) await nextPicture();
    manipulator.drop();
    return true;
  };
  const hook: PoiseViewport = {
    project(name) {
      const place = placeOf(name);
      const seen = place && engine.project(place);
      return seen ? { x: seen.x, y: seen.y } : null;
    },
    jointWorld(name) {
      const place = placeOf(name);
      return place ? [place.x, place.y, place.z] : null;
    },
    frameShown: () => engine.moment.frame,
    lastLatencies: () => [...engine.session.latencies],
    lastAnswers: () => [...engine.session.answers],
    clearLatencies: () => void (engine.session.latencies.length = engine.session.answers.length = 0),
    renderStats: () => ({ ...engine.stats }),
    dragTo(name, dx, dy, dz, steps = 20) {
      const goal = new Vector3();
      return inSteps(name, steps, (share, start) => {
        goal.set(dx, dy, dz).multiplyScalar(share).add(start);
        engine.manipulator.moveTo(goal, performance.now());
      });
    },
    spinBy: (name, degrees, steps = 20) =>
      inSteps(name, steps, (share) => engine.manipulator.spinTo(share * degrees, performance.now())),
    turnBy(name, degrees, steps = 20) {
      const first = new Quaternion(), turn = new Quaternion();
      engine.gripNamed(name)?.turn?.(first);
      return inSteps(name, steps, (share) => {
        turn.setFromAxisAngle(UP, (share * degrees * Math.PI) / 180).multiply(first);
        engine.manipulator.turnTo(turn, performance.now());
      });
    },
    grips: () => engine.gripKeys(),
    crowd(copies) {
      engine.figuresView.copies = copies;
      engine.invalidate();
    },
    redraw: () => engine.invalidate(),
  };
  window.poiseViewport = hook;
  return () => {
    if (window.poiseViewport === hook) delete window.poiseViewport;
  };
}

