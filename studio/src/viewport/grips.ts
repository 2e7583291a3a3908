// What can be taken hold of in the picture, and what moving it does to the recipe.

import { Quaternion, Vector3 } from "three";
import { intervalOf, pinPoint, wishesOf, type Vec3 } from "../recipe";
import { frame, frameCount, openStep, rate, recipe, keptNow, selection, type Recipe } from "../store";
import {
  PLANTED, moveCenter, moveGoal, moveStage, moveStep, raiseFlight, stageName, stepFor, turnJoint,
  type StepOf, type Timing, type Turn,
} from "./edits";
import type { Footprints } from "./footprints";
import type { GoalOverlay } from "./goal_overlay";
import { leapStep, type LeapOverlay } from "./leap";
import type { Moment } from "./moment";
import type { PhysicsOverlay } from "./physics_overlay";
import { findPoint, jointName, pointsOf, spoken, type NamedPoint } from "./points";

/** How the pointer moves it: in the plane of the picture, over the floor, up and down, or around. */
export type GripMoves = "view" | "floor" | "rise" | "spin";

/** A drag that has begun: each call gives the recipe that the whole drag up to now makes. */
export interface GripEdit {
  label: string;
  turnLabel?: string;
  /** Whether the server is asked on the way: leaps take too long for that. */
  live: boolean;
  moved?: (place: Vector3) => Recipe | null;
  turned?: (goal: Quaternion) => Recipe | null;
  spun?: (degrees: number) => Recipe | null;
  ended?: () => void;
}

export interface Grip {
  key: string;
  label: string;
  moves: GripMoves;
  /** Where it is now; false: nowhere. */
  at(out: Vector3): boolean;
  /** Whether it can be picked now; without it, always. */
  offered?(): boolean;
  /** What a spin goes around. */
  pivot?(out: Vector3): void;
  /** How a joint is turned in the world; only grips that can be turned have it. */
  turn?(out: Quaternion): boolean;
  /** Within so many pixels, or on the floor within so many metres. */
  pixels: number;
  floor_m?: number;
  select(): void;
  begin(): GripEdit | null;
}

export interface Scenery {
  moment: Moment;
  physics: PhysicsOverlay;
  footprints: Footprints;
  leap: LeapOverlay;
  goals: GoalOverlay;
}

const timing = (): Timing => ({ frames: frameCount.peek(), rate: rate.peek() });
const now = (): number => Math.round(frame.peek());
const triple = (v: Vector3): Vec3 => [v.x, v.y, v.z];

/** Where an edit of a kind goes; null: there is no document. */
function target(kind: string): StepOf | null {
  const base = recipe.peek();
  return base ? stepFor(base, openStep.peek(), kind, keptNow()) : null;
}

export function allGrips(scenery: Scenery): Grip[] {
  const { moment, footprints, leap, goals } = scenery;
  if (!moment.figure || !moment.pose) return [];
  return [
    ...pointsOf(moment.figure).map((point) => pointGrip(scenery, point)),
    ...(moment.shown.com ? [centerGrip(scenery)] : []),
    ...footprints.prints.flatMap((_, i) => printGrips(scenery, i)),
    ...leap.grounds.flatMap((_, i) => stageGrips(scenery, i)),
    ...leap.flights.map((_, i) => flightGrip(scenery, i)),
    ...goals.goals.map(({ goal, key }) => goalGrip(scenery, key, goal.step, goal.index, undefined)),
    ...goals.passes.map((pass) => goalGrip(scenery, pass.key, pass.step, pass.index, pass.point)),
  ];
}

const spot = new Float32Array(3);

export function pointGrip({ moment }: Scenery, point: NamedPoint): Grip {
  const key = `point:${point.name}`;
  return {
    key, label: spoken(point.name), moves: "view", pixels: 12,
    at(out) {
      if (!moment.pose) return false;
      moment.pose.point(point.joint, point.offset, spot);
      out.fromArray(spot);
      return true;
    },
    turn(out) {
      if (!moment.pose) return false;
      const { turns } = moment.pose, q = 4 * point.joint;
      out.set(turns[q + 1]!, turns[q + 2]!, turns[q + 3]!, turns[q]!);
      return true;
    },
    select: () => (selection.value = { kind: "point", name: point.name }),
    begin() {
      const pins = target("follow_curve"), turns = target("orient");
      const hits = target("hit_at");
      const open = hits?.step === openStep.peek() ? hits : pins;
      if (!open || !turns) return null;
      const at = now(), time = timing();
      const joint = jointName(moment.figure!, point.joint);
      const first = new Quaternion();
      this.turn!(first);
      return {
        label: `move ${spoken(point.name)}`, turnLabel: `turn ${spoken(joint)}`, live: true,
        moved: (place) => pinPoint(open.recipe, open.step, point.name, at, triple(place), time.frames, time.rate).recipe,
        turned: (goal) => turnJoint(
          turns.recipe, turns.step, joint, at, wxyz(first), wxyz(goal), (name) => turnOf(moment, name), time,
        ).recipe,
      };
    },
  };
}

function wxyz(q: Quaternion): Turn {
  return [q.w, q.x, q.y, q.z];
}

function turnOf({ figure, pose }: Moment, name: string): Turn | null {
  const found = figure && findPoint(figure, name);
  return found && pose ? ([...pose.turns.subarray(4 * found.joint, 4 * found.joint + 4)] as Turn) : null;
}

function centerGrip({ moment, physics: overlay }: Scenery): Grip {
  return {
    key: "center", label: "centre of mass", moves: "view", pixels: 10,
    at(out) {
      out.fromArray(overlay.com);
      return !Number.isNaN(out.x);
    },
    select: () => undefined,
    begin() {
      const where = target("place_center_of_mass");
      const start = new Vector3();
      if (!where || !this.at(start)) return null;
      const at = now(), time = timing(), touches = moment.lastPhysics?.message.touches ?? [];
      return {
        label: "move centre of mass", live: true,
        moved: (place) => moveCenter(
          where.recipe, where.step, at, triple(place.clone().sub(start)), triple(place), touches, time,
        ).recipe,
      };
    },
  };
}

function printGrips({ moment, footprints }: Scenery, number: number): Grip[] {
  const print = footprints.prints[number]!;
  const { touch, index } = print;
  const label = `${spoken(touch.part)}, frames ${touch.first} to ${touch.last}`;
  const select = (): void => void (selection.value = { kind: "touch", index });
  const start = (): GripEdit | null => {
    const where = PLANTED.includes(touch.part) ? target("plant") : null;
    const held = footprints.prints[number];
    if (!where || !held) return null;
    footprints.hold(held);
    const touches = moment.lastPhysics?.message.touches ?? [], time = timing();
    const made = (): Recipe => moveStep(
      where.recipe, where.step, touch, touches, triple(footprints.heldBy), footprints.heldTurn, time,
    ).recipe;
    return {
      label: `move step of ${spoken(touch.part)}`, live: true, ended: () => footprints.hold(null),
      moved(place) {
        footprints.heldBy.copy(place).sub(held.place);
        return made();
      },
      spun(degrees) {
        footprints.heldTurn = degrees;
        return made();
      },
    };
  };
  const here = (): typeof print => footprints.prints[number] ?? print;
  const body: Grip = {
    key: print.key, label, moves: "floor", pixels: 0, floor_m: 0.42 * print.length, select, begin: start,
    at(out) {
      out.copy(here().place);
      return true;
    },
  };
  if (print.round || !PLANTED.includes(touch.part)) return [body];
  const knob: Grip = {
    key: print.spinKey, label: `turn ${label}`, moves: "spin", pixels: 9, select, begin: start,
    at: (out) => (footprints.knob(here(), out), true),
    // Only of the one that is looked at: else the floor is full of knobs.
    offered: () => (moment.selection?.kind === "touch" && moment.selection.index === index)
      || moment.hovered === body.key || moment.hovered === knob.key,
    pivot: (out) => out.copy(here().place),
  };
  return [body, knob];
}

/** Where a stage edit goes: the step that the rings are about. */
function leapTarget(kind: string): StepOf | null {
  const base = recipe.peek();
  const step = base ? leapStep(base) : -1;
  return step >= 0 ? { recipe: base!, step } : target(kind);
}

function stageGrips({ leap }: Scenery, number: number): Grip[] {
  const stage = leap.grounds[number]!;
  const count = leap.grounds.length;
  const label = stageName(stage.number, count);
  const select = (): void => void (selection.value = { kind: "stage", index: stage.index });
  // Leaps take seconds to solve: rings and arcs follow the recipe, the body follows the next run.
  const begin = (): GripEdit | null => {
    const where = leapTarget("move_stage");
    if (!where) return null;
    const start = stage.place.clone();
    const made = (by: Vec3, turn: number): Recipe => moveStage(where.recipe, where.step, stage.number, count, by, turn).recipe;
    return {
      label: `move ${label}`, live: false,
      moved: (place) => made(triple(place.clone().sub(start)), 0),
      spun: (degrees) => made([0, 0, 0], degrees),
    };
  };
  return [
    {
      key: stage.key, label: `${label}: move`, moves: "floor", pixels: 10, floor_m: 0.3, select, begin,
      at: (out) => (out.copy(stage.place), true),
    },
    {
      key: stage.dialKey, label: `${label}: turn`, moves: "spin", pixels: 10, select, begin,
      at: (out) => (leap.knob(stage, out), true),
      pivot: (out) => void out.copy(stage.place),
    },
  ];
}

function flightGrip({ leap }: Scenery, number: number): Grip {
  const flight = leap.flights[number]!;
  const count = leap.flights.length;
  return {
    key: flight.key, label: "height of the flight", moves: "rise", pixels: 11,
    select: () => (selection.value = { kind: "stage", index: flight.index }),
    at: (out) => (out.copy(flight.top), true),
    begin() {
      const where = leapTarget("flight_height");
      if (!where) return null;
      const start = flight.top.y, { rise } = flight;
      return {
        label: "change height of flight", live: false,
        moved: (place) => raiseFlight(where.recipe, where.step, flight.number, count, rise + place.y - start).recipe,
      };
    },
  };
}

/** The goal of a constraint at the cursor, or a place that its curve passes through. */
export function goalGrip(
  { moment, goals }: Scenery, key: string, step: number, index: number, through: number | undefined,
): Grip {
  return {
    key, label: goals.goals.find((each) => each.goal.step === step && each.goal.index === index)?.goal.name ?? "goal",
    moves: "view", pixels: 10,
    at(out) {
      if (through !== undefined) {
        const pass = goals.passes.find((each) => each.key === key);
        if (pass) out.fromArray(pass.place);
        return !!pass;
      }
      const found = goals.goals.find((each) => each.key === key);
      if (!found || !goals.drawsPath(found.goal) || moment.row < found.goal.first || moment.row > found.goal.last) return false;
      out.fromArray(found.path, 3 * (moment.row - found.goal.first));
      return true;
    },
    select() {
      selection.value = { kind: "constraint", step, index, ...(through === undefined ? {} : { point: through }) };
    },
    begin() {
      const base = recipe.peek();
      const start = new Vector3();
      const wish = base && wishesOf(base, step)[index];
      if (!base || !wish || !this.at(start)) return null;
      const time = timing();
      const passed = through === undefined ? undefined : goals.passes.find((each) => each.key === key);
      const [first, last] = intervalOf(wish.values, time.frames, time.rate);
      const at = passed?.frame ?? Math.min(last, Math.max(first, now()));
      const to = wish.values.relative_to ? turnOf(moment, wish.values.relative_to) : null;
      const axes = to ? new Quaternion(to[1], to[2], to[3], to[0]).invert() : null;
      return {
        label: `move ${wish.values.name ?? "goal"}`, live: true,
        moved(place) {
          const by = place.clone().sub(start);
          if (axes) by.applyQuaternion(axes);
          return moveGoal(base, step, index, at, triple(place), triple(by), through, time);
        },
      };
    },
  };
}
