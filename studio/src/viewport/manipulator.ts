// Taking hold of things: gizmo, pointer and tests all go through `take`, `moveTo`, `turnTo`, `spinTo`, `drop`.

import { Object3D, Plane, Quaternion, Scene, Vector3 } from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import { documentState, draft, edit as keep, frame, gizmo, playing, selection, type Recipe } from "../store";
import type { CameraRig } from "./camera";
import { DIAMOND } from "./dots";
import type { DragSession } from "./drag_session";
import type { Grip, GripEdit } from "./grips";
import { Lines } from "./lines";
import type { Moment } from "./moment";
import type { Picker } from "./picking";
import { movedWords, spunWords, turnedWords, type Tip } from "./tip";

const CLICK_PX = 4;
const SNAP_DEG = 15;
/** Moves as they come; plain ones wait for the next picture of the screen. */
const RAW = "onpointerrawupdate" in window;

export interface ManipulatorHost {
  rig: CameraRig;
  picker: Picker;
  session: DragSession;
  moment: Moment;
  grips(): readonly Grip[];
  /** The grip of what is selected. */
  chosen(): Grip | null;
  /** Bring the scene to the cursor's frame at once. */
  settle(): void;
  invalidate(): void;
  hover(grip: Grip | null): void;
  tip: Tip;
}

interface Press { x: number; y: number; grip: Grip | null; pointer: number; dragging: boolean }

export class Manipulator {
  readonly transform: TransformControls;
  held: Grip | null = null;
  /** A grip without a selection of its own (the centre of mass) that was clicked. */
  picked: Grip | null = null;
  /** The document that it was clicked in. */
  private pickedIn = "";
  private edit: GripEdit | null = null;
  private made: Recipe | null = null;
  private merge = "";
  private readonly proxy = new Object3D();
  private readonly start = new Vector3();
  private readonly startTurn = new Quaternion();
  private readonly goal = new Vector3();
  private readonly string = new Lines(1, { width: 1.5, onTop: true, opacity: 0.9, order: 10 });
  private press: Press | null = null;
  private movedAt = 0;
  private readonly plane = new Plane();
  private readonly hit = new Vector3();
  private readonly grabbed = new Vector3();
  private readonly pivot = new Vector3();
  private lastAngle = 0;
  private spun = 0;
  private shownSpin = 0;

  constructor(scene: Scene, private readonly host: HTMLElement, canvas: HTMLElement, private readonly at: ManipulatorHost) {
    this.transform = new TransformControls(at.rig.active, canvas);
    this.transform.size = 0.75;
    this.proxy.matrixAutoUpdate = true;
    scene.add(this.proxy, this.transform.getHelper(), this.string.mesh);
    this.transform.addEventListener("change", at.invalidate);
    this.transform.addEventListener("dragging-changed", ({ value }) => (at.rig.controls.enabled = !value));
    this.transform.addEventListener("mouseDown", () => {
      const grip = this.target();
      if (!grip || !this.take(grip)) this.transform.reset();
      else this.followRaw(true);
    });
    this.transform.addEventListener("objectChange", () => {
      if (!this.held) return;
      if (this.transform.mode === "rotate") this.turnTo(this.proxy.quaternion, this.movedAt);
      else this.moveTo(this.proxy.position, this.movedAt);
    });
    this.transform.addEventListener("mouseUp", () => this.drop());
    host.addEventListener("pointerdown", this.onDown, true);
    host.addEventListener("pointermove", this.onMove, true);
    host.addEventListener("pointerup", this.onUp, true);
    host.addEventListener("pointercancel", this.onCancel, true);
    host.addEventListener("pointerleave", this.onLeave);
    window.addEventListener("keydown", this.onKey, true);
  }

  // What gizmo, pointer and tests do.

  take(grip: Grip): boolean {
    // What keys hold is let go first.
    this.drop();
    // Edits are about whole frames, and about the one that is seen.
    playing.value = false;
    frame.value = Math.round(frame.peek());
    this.at.settle();
    const edit = grip.begin();
    if (!edit || !grip.at(this.start)) return false;
    this.held = grip;
    this.edit = edit;
    this.made = null;
    this.merge = "";
    this.goal.copy(this.start);
    grip.turn?.(this.startTurn);
    this.at.hover(null);
    if (edit.live) this.at.session.begin(edit.label);
    this.at.invalidate();
    return true;
  }

  /** `merge`: with the same word in a row, what is let go is one step of undo. */
  moveTo(place: Vector3, at: number, merge = ""): void {
    this.merge = merge;
    this.goal.copy(place);
    this.put(this.edit?.moved?.(this.goal) ?? null, at);
  }

  turnTo(goal: Quaternion, at: number): void {
    if (this.edit?.turnLabel) this.at.session.label = this.edit.turnLabel;
    this.put(this.edit?.turned?.(goal) ?? null, at);
  }

  spinTo(degrees: number, at: number): void {
    this.shownSpin = degrees;
    this.put(this.edit?.spun?.(degrees) ?? null, at);
  }

  private put(recipe: Recipe | null, at: number): void {
    if (!recipe || !this.edit) return;
    this.made = recipe;
    if (this.edit.live) this.at.session.move(recipe, at);
    else draft.value = recipe;
    this.at.invalidate();
  }

  drop(): void {
    const { edit, made } = this;
    if (!edit) return;
    if (edit.live) this.at.session.release(this.merge);
    else if (made) keep(made, edit.label, this.merge);
    this.end();
  }

  giveUp(): void {
    if (!this.edit) return;
    if (this.edit.live) this.at.session.cancel();
    else draft.value = null;
    this.end();
  }

  private end(): void {
    this.edit?.ended?.();
    this.held = this.edit = this.made = null;
    this.followRaw(false);
    this.at.tip.say("");
    this.at.rig.controls.enabled = true;
    this.at.invalidate();
  }

  // The gizmo.

  private target(): Grip | null {
    if (gizmo.peek() === "none") return null;
    return this.at.chosen() ?? this.picked;
  }

  /** Put the gizmo where it belongs; called for every picture. */
  update(moment: Moment): void {
    if (selection.peek() || this.pickedIn !== documentState.peek()?.id) this.picked = null;
    const { transform, proxy } = this;
    transform.camera = this.at.rig.active;
    if (!transform.dragging) {
      const grip = this.held ?? this.target();
      const shown = !!grip && gizmo.peek() !== "none" && grip.at(proxy.position) && grip.moves === "view";
      if (this.held) proxy.position.copy(this.goal);
      if (shown) {
        const turns = gizmo.peek() === "rotate" && !!grip.turn?.(proxy.quaternion);
        transform.mode = turns ? "rotate" : "translate";
        transform.space = turns ? "local" : "world";
        if (transform.object !== proxy) transform.attach(proxy);
      } else if (transform.object) transform.detach();
    }
    this.drawGoal(moment);
    if (this.held && (this.press?.dragging || transform.dragging)) this.at.tip.say(this.words(this.held));
  }

  /** How far the pointer has moved what it holds. */
  private words({ moves }: Grip): string {
    if (moves === "spin") return spunWords(this.shownSpin);
    const turns = this.transform.dragging && this.transform.mode === "rotate";
    return turns ? turnedWords(this.startTurn, this.proxy.quaternion) : movedWords(moves, this.start, this.goal);
  }

  /** While something is held: where it is to be, and a string from where it is. */
  private drawGoal({ dots, palette: { colours } }: Moment): void {
    const { goal, hit, string } = this;
    string.begin();
    if (this.held?.moves === "view" && this.transform.mode !== "rotate") {
      string.colour = colours.goal;
      if (this.held.at(hit)) string.add(hit.x, hit.y, hit.z, goal.x, goal.y, goal.z);
      dots.add(goal.x, goal.y, goal.z, colours.goal, 13, DIAMOND);
    }
    string.end();
  }

  paint(x: string, y: string, z: string, active: string): void {
    this.transform.setColors(x, y, z, active);
  }

  // The pointer.

  private readonly onDown = (event: PointerEvent): void => {
    if (event.button !== 0 || event.target !== this.transform.domElement) return;
    // The gizmo is on top of everything; alt, ctrl and shift are for the camera.
    if (this.transform.object && this.transform.axis) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const grip = this.at.picker.nearest(event, this.at.grips(), this.at.moment.ground.up);
    this.press = { x: event.clientX, y: event.clientY, grip, pointer: event.pointerId, dragging: false };
    if (!grip) return;
    event.stopPropagation();
    this.host.focus({ preventScroll: true });
    (event.target as HTMLElement).setPointerCapture(event.pointerId);
  };

  private readonly onMove = (event: PointerEvent): void => {
    this.movedAt = event.timeStamp;
    this.at.tip.follow(event);
    const { press } = this;
    if (press?.grip) {
      event.stopPropagation();
      if (!press.dragging) {
        if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < CLICK_PX) return;
        press.dragging = true;
        this.choose(press.grip);
        if (!this.take(press.grip)) return void (press.grip = null);
        this.grab({ clientX: press.x, clientY: press.y });
        this.followRaw(true);
        this.follow(event);
      } else if (!RAW) this.follow(event);
      return;
    }
    // The gizmo has heard of this move already.
    if (RAW && this.transform.dragging) return event.stopPropagation();
    if (event.buttons === 0 && !this.held) {
      const over = event.target === this.transform.domElement && !(this.transform.object && this.transform.axis);
      this.at.hover(over ? this.at.picker.nearest(event, this.at.grips(), this.at.moment.ground.up) : null);
    }
  };

  /** Only while something is held: a mouse may say so a thousand times a second. */
  private followRaw(on: boolean): void {
    if (on) this.host.addEventListener("pointerrawupdate", this.onRaw as EventListener);
    else this.host.removeEventListener("pointerrawupdate", this.onRaw as EventListener);
  }

  private readonly onRaw = (event: PointerEvent): void => {
    this.movedAt = event.timeStamp;
    this.at.tip.follow(event);
    if (this.press?.dragging) return this.follow(event);
    if (!this.transform.dragging) return;
    const { x, y } = this.at.picker.spot(event);
    this.transform.pointerMove({ x, y, button: -1 } as PointerEvent);
  };

  private choose(grip: Grip): void {
    grip.select();
    if (grip.key === "center") {
      selection.value = null;
      this.picked = grip;
      this.pickedIn = documentState.peek()?.id ?? "";
    } else this.picked = null;
  }

  /** Where on its plane something was taken hold of. */
  private grab(event: { clientX: number; clientY: number }): void {
    const { held, plane, start } = this;
    if (!held) return;
    const camera = this.at.rig.active;
    if (held.moves === "view") plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(this.hit).negate(), start);
    else if (held.moves === "rise")
      plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(this.hit).setY(0).normalize().negate(), start);
    else plane.setFromNormalAndCoplanarPoint(this.at.moment.ground.up, start);
    if (held.moves === "spin") held.pivot?.(this.pivot);
    this.at.picker.aim(event);
    if (!this.at.picker.raycaster.ray.intersectPlane(plane, this.grabbed)) this.grabbed.copy(start);
    this.lastAngle = this.angle(this.grabbed);
    this.spun = 0;
  }

  private follow(event: PointerEvent): void {
    const { held, hit } = this;
    if (!held) return;
    this.at.picker.aim(event);
    if (!this.at.picker.raycaster.ray.intersectPlane(this.plane, hit)) return;
    if (held.moves === "spin") {
      const angle = this.angle(hit);
      // Turns add up over the full circle: a stage may spin more than once.
      let step = angle - this.lastAngle;
      if (step > Math.PI) step -= 2 * Math.PI;
      if (step < -Math.PI) step += 2 * Math.PI;
      this.lastAngle = angle;
      this.spun += (180 / Math.PI) * step;
      const shown = event.shiftKey ? SNAP_DEG * Math.round(this.spun / SNAP_DEG) : this.spun;
      return this.spinTo(shown, event.timeStamp);
    }
    hit.sub(this.grabbed).add(this.start);
    if (held.moves === "rise") hit.set(this.start.x, hit.y, this.start.z);
    this.moveTo(hit, event.timeStamp);
  }

  private angle(place: Vector3): number {
    const { up } = this.at.moment.ground;
    const ahead = FORWARD.set(0, 0, 1).projectOnPlane(up).normalize();
    const aside = ASIDE.crossVectors(up, ahead);
    return Math.atan2(AWAY.copy(place).sub(this.pivot).dot(aside), AWAY.dot(ahead));
  }

  private readonly onUp = (event: PointerEvent): void => {
    const { press } = this;
    this.press = null;
    if (!press) return;
    if (press.dragging) {
      event.stopPropagation();
      return this.drop();
    }
    if (Math.hypot(event.clientX - press.x, event.clientY - press.y) >= CLICK_PX) return;
    if (press.grip) {
      event.stopPropagation();
      this.choose(press.grip);
    } else {
      this.picked = null;
      selection.value = null;
    }
    this.at.invalidate();
  };

  private readonly onCancel = (): void => {
    this.press = null;
    this.giveUp();
  };

  private readonly onLeave = (): void => {
    if (!this.press) this.at.hover(null);
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    if (!this.held) {
      this.picked = null;
      return this.at.invalidate();
    }
    event.preventDefault();
    event.stopPropagation();
    this.press = null;
    this.giveUp();
    this.transform.dragging = false;
    this.transform.axis = null;
  };

  dispose(): void {
    this.giveUp();
    this.host.removeEventListener("pointerdown", this.onDown, true);
    this.host.removeEventListener("pointermove", this.onMove, true);
    this.host.removeEventListener("pointerup", this.onUp, true);
    this.host.removeEventListener("pointercancel", this.onCancel, true);
    this.host.removeEventListener("pointerleave", this.onLeave);
    window.removeEventListener("keydown", this.onKey, true);
    this.followRaw(false);
    this.transform.dispose();
    this.string.dispose();
  }
}

const FORWARD = new Vector3(), ASIDE = new Vector3(), AWAY = new Vector3();
