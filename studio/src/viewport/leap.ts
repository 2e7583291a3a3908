// Stages of a leap as the recipe wants them: rings where it stands on the ground, arcs where it flies, to
// be moved, turned, raised. They are goals: what is solved comes later.

import { Group, Vector3 } from "three";
import { methodOf } from "../recipe";
import type { PhysicsData, Recipe } from "../store";
import { DIAMOND, DISC } from "./dots";
import { heightWish, riseOf, stageWish } from "./edits";
import { Lines } from "./lines";
import { floats, type Moment } from "./moment";

const RADIUS_M = 0.38;
const SIDES = 48;
const PIECES = 32;
const MOST_STAGES = 24;
const LIFT_M = 0.008;

export interface GroundStage {
  index: number; number: number; place: Vector3; turn: number;
  /** Of its grips. */
  key: string; dialKey: string;
}
export interface FlightStage {
  index: number; number: number;
  /** Of the centre of mass: where it leaves the ground and comes down, and how high it gets over the first. */
  from: Vector3; to: Vector3; rise: number;
  top: Vector3;
  key: string;
}

export class LeapOverlay {
  readonly group = new Group();
  grounds: GroundStage[] = [];
  flights: FlightStage[] = [];
  private readonly rings = new Lines((SIDES + 1) * MOST_STAGES, { width: 2, opacity: 0.9, order: 6 });
  private readonly arcs = new Lines(PIECES * MOST_STAGES, { width: 2.5, opacity: 0.9, onTop: true, order: 6 });
  private physics: PhysicsData | null = null;
  private recipe: Recipe | null = null;
  private readonly spot = new Vector3();

  constructor() {
    this.group.add(this.rings.mesh, this.arcs.mesh);
  }

  update(moment: Moment): void {
    const { captured, recipe, shown } = moment;
    const step = recipe ? leapStep(recipe) : -1;
    this.group.visible = shown.goals && step >= 0 && !!captured?.message.stages.length;
    if (!this.group.visible) {
      if (this.grounds.length || this.flights.length) this.grounds = this.flights = [];
      this.physics = null;
      return;
    }
    if (captured !== this.physics || recipe !== this.recipe) {
      this.physics = captured;
      this.recipe = recipe;
      this.read(captured!, recipe!, step);
      this.draw(moment);
    }
    this.rings.colour = this.arcs.colour = moment.palette.colours.goal;
    this.mark(moment);
  }

  private read(physics: PhysicsData, recipe: Recipe, step: number): void {
    const { stages } = physics.message;
    const com = floats(physics.arrays, "com_m");
    const last = com.length / 3 - 1;
    const grounds = stages.filter((each) => each.name !== "flight").length, flights = stages.length - grounds;
    const kept = this.grounds.length === grounds && this.flights.length === flights;
    const listed: GroundStage[] = [], flying: FlightStage[] = [];
    const moves = new Map<number, Vector3>();
    stages.forEach((stage, index) => {
      if (stage.name === "flight") return;
      const number = listed.length;
      const wish = stageWish(recipe, step, number, grounds)?.values;
      const by = new Vector3().fromArray((wish?.by_m as number[] | undefined) ?? [0, 0, 0]);
      moves.set(index, by);
      const place = by.clone().add(this.spot.fromArray(stage.place_m));
      listed.push({ index, number, place, turn: wish?.turn_deg ?? 0, key: `stage:${index}`, dialKey: `dial:${index}` });
    });
    stages.forEach((stage, index) => {
      if (stage.name !== "flight") return;
      const number = flying.length;
      const first = Math.max(0, stage.first - 1), stop = Math.min(last, stage.last + 1);
      const captured = com[3 * highest(com, first, stop) + 1]! - com[3 * first + 1]!;
      const from = new Vector3().fromArray(com, 3 * first).add(moves.get(index - 1) ?? ZERO);
      const to = new Vector3().fromArray(com, 3 * stop).add(moves.get(index + 1) ?? ZERO);
      const rise = riseOf(heightWish(recipe, step, number, flights), captured);
      const top = new Vector3();
      onArc(from, to, from.y + rise, peakOf(from, to, from.y + rise), top);
      flying.push({ index, number, from, to, rise, top, key: `flight:${index}` });
    });
    if (!kept) {
      this.grounds = listed;
      this.flights = flying;
    } else {
      // The same records again: grips that are held go on with them.
      listed.forEach((each, i) => Object.assign(this.grounds[i]!, each));
      flying.forEach((each, i) => Object.assign(this.flights[i]!, each));
    }
  }

  /** The knob that turns a stage. */
  knob({ place, turn }: GroundStage, out: Vector3): Vector3 {
    const angle = (turn * Math.PI) / 180;
    return out.set(place.x + RADIUS_M * Math.sin(angle), place.y, place.z + RADIUS_M * Math.cos(angle));
  }

  private draw({ ground }: Moment): void {
    this.rings.begin();
    for (const stage of this.grounds) {
      const { x, y: low, z } = stage.place;
      const y = Math.max(low, ground.heightAt(x, z)) + LIFT_M;
      for (let i = 0; i < SIDES; i += 1) {
        const a = (2 * Math.PI * i) / SIDES, b = (2 * Math.PI * (i + 1)) / SIDES;
        this.rings.add(
          x + RADIUS_M * Math.sin(a), y, z + RADIUS_M * Math.cos(a),
          x + RADIUS_M * Math.sin(b), y, z + RADIUS_M * Math.cos(b),
        );
      }
      this.knob(stage, this.spot);
      this.rings.add(x, y, z, this.spot.x, y, this.spot.z);
    }
    this.rings.end();
    this.arcs.begin();
    for (const { from, to, rise } of this.flights) {
      let { x, y, z } = from;
      const top = from.y + rise, peak = peakOf(from, to, top);
      for (let i = 1; i <= PIECES; i += 1) {
        const next = onArc(from, to, top, i / PIECES, this.spot, peak);
        this.arcs.add(x, y, z, next.x, next.y, next.z);
        ({ x, y, z } = next);
      }
    }
    this.arcs.end();
  }

  private mark({ dots, palette: { colours }, hovered, held, selection }: Moment): void {
    const chosen = selection?.kind === "stage" ? selection.index : -1;
    for (const stage of this.grounds) {
      const { index, place, key, dialKey } = stage;
      const over = hovered === key || held === key;
      dots.add(place.x, place.y + LIFT_M, place.z, chosen === index || over ? colours.accent : colours.goal, over ? 15 : 12, DISC);
      const turning = hovered === dialKey || held === dialKey;
      this.knob(stage, this.spot);
      dots.add(this.spot.x, this.spot.y + LIFT_M, this.spot.z, turning ? colours.accent : colours.goal, turning ? 13 : 10, DISC);
    }
    for (const { index, top, key } of this.flights) {
      const over = hovered === key || held === key || chosen === index;
      dots.add(top.x, top.y, top.z, over ? colours.accent : colours.goal, over ? 17 : 14, DIAMOND);
    }
  }

  dispose(): void {
    this.group.removeFromParent();
    this.rings.dispose();
    this.arcs.dispose();
  }
}

const ZERO = new Vector3();

function highest(path: Float32Array, first: number, last: number): number {
  let best = first;
  for (let f = first; f <= last; f += 1) if (path[3 * f + 1]! > path[3 * best + 1]!) best = f;
  return best;
}

/** Where on its way, from 0 to 1, a throw is highest. */
function peakOf(from: Vector3, to: Vector3, top: number): number {
  const up = Math.sqrt(Math.max(0, top - from.y)), down = Math.sqrt(Math.max(0, top - to.y));
  return up + down > 0 ? up / (up + down) : 0.5;
}

/** A throw from one height to another by way of the top, as gravity has it. */
function onArc(from: Vector3, to: Vector3, top: number, share: number, out: Vector3, peak = peakOf(from, to, top)): Vector3 {
  const rising = share < peak;
  const off = rising ? (peak - share) / peak : (share - peak) / (1 - peak || 1);
  out.lerpVectors(from, to, share);
  out.y = top - off * off * (top - (rising ? from.y : to.y));
  return out;
}

/** The last step that is a leap; -1: there is none. */
export function leapStep(recipe: Recipe): number {
  for (let step = (recipe.steps ?? []).length - 1; step >= 0; step -= 1)
    if (methodOf(recipe, step) === "momentum") return step;
  return -1;
}
