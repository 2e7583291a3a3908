// Where feet and hands touch: a print on the floor for every contact bar, which can be moved and turned.

import {
  BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Group, Matrix4, Mesh, MeshBasicMaterial, Quaternion, Vector3,
} from "three";
import type { Touch } from "../messages";
import type { FigureData, MotionData, PhysicsData } from "../store";
import { DISC } from "./dots";
import { scratchOf, shapeOf, type Pose } from "./kinematics";
import { Lines } from "./lines";
import type { Moment } from "./moment";
import { findPoint, type NamedPoint } from "./points";

const MOST = 256;
const LIFT_M = 0.004;
const ON_GROUND_M = 0.12;
const KNOB_M = 0.1;
const MOST_FILLED = 8;

/** A left sole one unit long, heel at -0.5: outer side at positive x. */
const SOLE: readonly (readonly [number, number])[] = [
  [0, -0.5], [0.1, -0.46], [0.14, -0.36], [0.13, -0.1], [0.17, 0.12], [0.2, 0.26], [0.17, 0.38], [0.08, 0.46],
  [-0.04, 0.5], [-0.14, 0.48], [-0.19, 0.38], [-0.18, 0.22], [-0.11, 0.02], [-0.1, -0.2], [-0.14, -0.36], [-0.1, -0.46],
];

/** One print: where it lies, which way it points, and what it is of. */
export interface Print {
  touch: Touch;
  index: number;
  /** Its middle on the floor, and what turning leaves where it is. */
  place: Vector3;
  /** From heel to toe, on the floor. */
  way: Vector3;
  length: number;
  round: boolean;
  /** Of its grips: the print, and the knob that turns it. */
  key: string;
  spinKey: string;
}

export class Footprints {
  readonly group = new Group();
  prints: Print[] = [];
  /** Of the one that is held: how far it was moved and turned. */
  readonly heldBy = new Vector3();
  heldTurn = 0;
  private heldPrint: Print | null = null;
  private readonly outline = new Lines(64 * 20, { width: 1.5, opacity: 0.75, order: 3 });
  private readonly fill: Mesh<BufferGeometry, MeshBasicMaterial>;
  private readonly soles = new BufferAttribute(new Float32Array(3 * MOST_FILLED * (SOLE.length + 1)), 3);
  private motion: MotionData | null = null;
  private physics: PhysicsData | null = null;
  private drawn = false;
  private readonly matrix = new Matrix4();
  private readonly turn = new Quaternion();
  private readonly size = new Vector3();
  private readonly spot = new Vector3();
  private readonly aside = new Vector3();
  private readonly ahead = new Vector3();

  constructor() {
    const geometry = new BufferGeometry();
    this.soles.setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", this.soles);
    const index: number[] = [];
    // A fan around the middle of the sole, which sees all of its border.
    for (let i = 0; i < MOST_FILLED; i += 1)
      for (let k = 0; k < SOLE.length; k += 1)
        index.push(...[0, 1 + k, 1 + ((k + 1) % SOLE.length)].map((v) => i * (SOLE.length + 1) + v));
    geometry.setIndex(index);
    this.fill = new Mesh(geometry, new MeshBasicMaterial({ transparent: true, opacity: 0.3, depthWrite: false, side: DoubleSide }));
    this.fill.frustumCulled = false;
    this.fill.renderOrder = 3;
    this.group.add(this.outline.mesh, this.fill);
  }

  update(moment: Moment): void {
    const { shown, motion, figure, lastPhysics: physics } = moment;
    this.group.visible = shown.footprints && !!motion && !!figure && !!physics;
    if (!this.group.visible) {
      if (this.prints.length) this.prints = [];
      this.motion = null;
      return;
    }
    if (motion !== this.motion || physics !== this.physics) {
      this.motion = motion;
      this.physics = physics;
      this.prints = printsOf(figure!, motion!, physics!, moment);
      this.drawn = false;
    }
    const colour = motion!.which === "before" ? "before" : "after";
    this.outline.colour = moment.palette.colours[colour];
    this.fill.material.color.copy(moment.palette.colours[colour]);
    this.draw(moment);
  }

  /** A print is taken hold of: it stays under the pointer, whatever the motion does. */
  hold(print: Print | null): void {
    this.heldPrint = print;
    this.heldBy.set(0, 0, 0);
    this.heldTurn = 0;
    this.drawn = false;
  }

  /** Where the knob is that turns a print. */
  knob(print: Print, out: Vector3): Vector3 {
    return out.copy(print.place).addScaledVector(print.way, 0.5 * print.length + KNOB_M);
  }

  private draw(moment: Moment): void {
    const { row, selection, hovered, held } = moment;
    const chosen = selection?.kind === "touch" ? selection.index : -1;
    let active = 0;
    const fresh = !this.drawn || !!this.heldPrint;
    if (fresh) this.outline.begin();
    for (const print of this.prints) {
      const { touch, index, key, spinKey } = print;
      const close = index === chosen || hovered === key || hovered === spinKey;
      const mine = this.heldPrint?.index === index;
      const filled = close || mine || (row >= touch.first && row <= touch.last);
      if (!fresh && !filled) continue;
      this.place(mine ? this.heldPrint! : print, mine, moment);
      if (fresh) this.addOutline();
      if (filled && active < MOST_FILLED) {
        this.fillSole(active);
        active += 1;
      }
      if ((close || mine) && !print.round) {
        this.knob(mine ? this.heldPrint! : print, this.spot);
        if (mine) this.turnAbout(this.heldPrint!, this.spot, moment);
        const grabbed = hovered === spinKey || held === spinKey;
        moment.dots.add(this.spot.x, this.spot.y, this.spot.z, moment.palette.colours.accent, grabbed ? 13 : 10, DISC);
      }
    }
    if (fresh) {
      this.outline.end();
      this.drawn = true;
    }
    this.fill.geometry.setDrawRange(0, 3 * SOLE.length * active);
    this.fill.visible = active > 0;
    this.soles.needsUpdate = active > 0;
  }

  private fillSole(number: number): void {
    const { array } = this.soles;
    let at = 3 * number * (SOLE.length + 1);
    for (let k = -1; k < SOLE.length; k += 1, at += 3) {
      const corner = SOLE[k];
      this.aside.set(corner?.[0] ?? 0, 0, corner?.[1] ?? 0).applyMatrix4(this.matrix);
      array[at] = this.aside.x; array[at + 1] = this.aside.y; array[at + 2] = this.aside.z;
    }
  }

  private turnAbout(print: Print, spot: Vector3, { ground }: Moment): void {
    spot.sub(print.place).applyAxisAngle(ground.up, (this.heldTurn * Math.PI) / 180).add(print.place).add(this.heldBy);
  }

  private place(print: Print, mine: boolean, moment: Moment): void {
    const { up } = moment.ground;
    const { ahead, aside } = this;
    ahead.copy(print.way);
    this.spot.copy(print.place);
    if (mine) {
      ahead.applyAxisAngle(up, (this.heldTurn * Math.PI) / 180);
      this.spot.add(this.heldBy);
    }
    aside.crossVectors(up, ahead);
    this.matrix.makeBasis(aside, up, ahead);
    this.turn.setFromRotationMatrix(this.matrix);
    const mirrored = print.touch.part.startsWith("right") ? -1 : 1;
    this.size.set(mirrored * print.length, 1, print.length);
    this.matrix.compose(this.spot, this.turn, this.size);
  }

  private addOutline(): void {
    for (let i = 0; i < SOLE.length; i += 1) {
      const [ax, az] = SOLE[i]!, [bx, bz] = SOLE[(i + 1) % SOLE.length]!;
      this.aside.set(ax, 0, az).applyMatrix4(this.matrix);
      this.ahead.set(bx, 0, bz).applyMatrix4(this.matrix);
      this.outline.add(this.aside.x, this.aside.y, this.aside.z, this.ahead.x, this.ahead.y, this.ahead.z);
    }
  }

  dispose(): void {
    this.group.removeFromParent();
    this.outline.dispose();
    this.fill.geometry.dispose();
    this.fill.material.dispose();
  }
}

const heel = new Float32Array(3), toe = new Float32Array(3);

function printsOf(figure: FigureData, motion: MotionData, physics: PhysicsData, moment: Moment): Print[] {
  const shape = shapeOf(figure);
  const pose = scratchOf(shape);
  const found: Print[] = [];
  physics.message.touches.forEach((touch, index) => {
    const ends = endsOf(figure, touch.part);
    if (!ends || found.length >= MOST) return;
    pose.set(motion, Math.round(0.5 * (touch.first + touch.last)));
    found.push(printOf(pose, ends, touch, index, moment));
  });
  return found;
}

function printOf(pose: Pose, [back, front]: [NamedPoint, NamedPoint], touch: Touch, index: number, { ground }: Moment): Print {
  pose.point(back.joint, back.offset, heel);
  pose.point(front.joint, front.offset, toe);
  const way = new Vector3().fromArray(toe).sub(new Vector3().fromArray(heel)).projectOnPlane(ground.up);
  const long = way.length();
  const round = long < 0.03;
  if (round) way.set(0, 0, 1).projectOnPlane(ground.up);
  way.normalize();
  const place = new Vector3().fromArray(heel).add(new Vector3().fromArray(toe)).multiplyScalar(0.5);
  const floor = ground.heightAt(place.x, place.z);
  const low = Math.min(heel[1]!, toe[1]!);
  // On stairs the floor is where the foot is.
  place.y = (Math.abs(low - floor) < ON_GROUND_M ? floor : low) + LIFT_M;
  const length = round ? 0.16 : Math.min(0.5, 1.06 * long);
  return { touch, index, place, way, length, round, key: `touch:${index}`, spinKey: `spin:${index}` };
}

/** Back and front of what touches: heel and toes, wrist and fingers; the same point for other parts. */
function endsOf(figure: FigureData, part: string): [NamedPoint, NamedPoint] | null {
  const [side, what] = part.split("_");
  const pick = (...names: string[]): NamedPoint | null => {
    for (const name of names) {
      const found = findPoint(figure, name);
      if (found) return found;
    }
    return null;
  };
  const pair = what === "foot"
    ? [pick(`${side}_heel`, `${side}_ankle`), pick(`${side}_toe_tip`, `${side}_ball`, `${side}_toe`)]
    : what === "hand"
      ? [pick(`${side}_wrist`), pick(`${side}_hand_tip`, `${side}_wrist`)]
      : [pick(part, `${side}_${what}`), pick(part, `${side}_${what}`)];
  return pair[0] && pair[1] ? [pair[0], pair[1]] : null;
}
