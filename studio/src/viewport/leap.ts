// Stages of a leap: rings where it stands on the ground, arcs where it flies, to be moved, turned, raised.

import { Group, Vector3 } from "three";
import { methodOf } from "../recipe";
import type { PhysicsData, Recipe } from "../store";
import { DIAMOND, DISC } from "./dots";
import { Lines } from "./lines";
import { floats, type Moment } from "./moment";

const RADIUS_M = 0.38;
const SIDES = 48;
const PIECES = 32;
const MOST_STAGES = 24;
const LIFT_M = 0.008;

export interface GroundStage { index: number; number: number; place: Vector3; first: number; last: number }
export interface FlightStage {
  index: number; number: number; top: Vector3;
  /** Of the centre of mass: where it leaves the ground and where it comes down. */
  from: Vector3; to: Vector3;
}

export class LeapOverlay {
  readonly group = new Group();
  grounds: GroundStage[] = [];
  flights: FlightStage[] = [];
  /** What is held, and how far. */
  heldStage = -1;
  heldFlight = -1;
  readonly heldBy = new Vector3();
  heldTurn = 0;
  private readonly rings = new Lines((SIDES + 1) * MOST_STAGES, { width: 2, opacity: 0.9, order: 6 });
  private readonly arcs = new Lines(PIECES * MOST_STAGES, { width: 2.5, opacity: 0.9, onTop: true, order: 6 });
  private physics: PhysicsData | null = null;
  private drawn = false;
  private readonly a = new Vector3();
  private readonly b = new Vector3();

  constructor() {
    this.group.add(this.rings.mesh, this.arcs.mesh);
  }

  update(moment: Moment): void {
    const { lastPhysics: physics, recipe, shown } = moment;
    const stages = physics?.message.stages ?? [];
    this.group.visible = shown.goals && stages.length > 0 && leaps(recipe);
    if (!this.group.visible) {
      if (this.grounds.length || this.flights.length) this.grounds = this.flights = [];
      this.physics = null;
      return;
    }
    if (physics !== this.physics) {
      this.physics = physics;
      this.read(physics!);
      this.drawn = false;
    }
    const { colours } = moment.palette;
    this.rings.colour = colours.goal;
    this.arcs.colour = colours.goal;
    if (!this.drawn || this.heldStage >= 0 || this.heldFlight >= 0) this.draw(moment);
    this.mark(moment);
  }

  release(): void {
    this.heldStage = this.heldFlight = -1;
    this.heldBy.set(0, 0, 0);
    this.heldTurn = 0;
    this.drawn = false;
  }

  private read(physics: PhysicsData): void {
    const com = floats(physics.arrays, "com_m");
    const last = com.length / 3 - 1;
    this.grounds = [];
    this.flights = [];
    physics.message.stages.forEach((stage, index) => {
      const place = new Vector3().fromArray(stage.place_m);
      if (stage.name === "flight") {
        const [first, stop] = [Math.max(0, stage.first - 1), Math.min(last, stage.last + 1)];
        const from = new Vector3().fromArray(com, 3 * first), to = new Vector3().fromArray(com, 3 * stop);
        const top = new Vector3().fromArray(com, 3 * highest(com, first, stop));
        this.flights.push({ index, number: this.flights.length, top, from, to });
      } else this.grounds.push({ index, number: this.grounds.length, place, first: stage.first, last: stage.last });
    });
  }

  /** The knob that turns a stage. */
  knob(stage: GroundStage, out: Vector3): Vector3 {
    const angle = stage.index === this.heldStage ? (this.heldTurn * Math.PI) / 180 : 0;
    this.middle(stage, out);
    return out.set(out.x + RADIUS_M * Math.sin(angle), out.y, out.z + RADIUS_M * Math.cos(angle));
  }

  middle(stage: GroundStage, out: Vector3): Vector3 {
    out.copy(stage.place);
    return stage.index === this.heldStage ? out.add(this.heldBy) : out;
  }

  private draw(moment: Moment): void {
    const { a, b } = this;
    this.rings.begin();
    for (const stage of this.grounds) {
      this.middle(stage, a);
      const y = Math.max(a.y, moment.ground.heightAt(a.x, a.z)) + LIFT_M;
      for (let i = 0; i < SIDES; i += 1) {
        const from = (2 * Math.PI * i) / SIDES, to = (2 * Math.PI * (i + 1)) / SIDES;
        this.rings.add(
          a.x + RADIUS_M * Math.sin(from), y, a.z + RADIUS_M * Math.cos(from),
          a.x + RADIUS_M * Math.sin(to), y, a.z + RADIUS_M * Math.cos(to),
        );
      }
      this.knob(stage, b);
      this.rings.add(a.x, y, a.z, b.x, y, b.z);
    }
    this.rings.end();
    this.arcs.begin();
    for (const flight of this.flights) this.drawArc(flight);
    this.arcs.end();
    this.drawn = true;
  }

  /** A throw from one height to another by way of the top, as gravity has it. */
  private drawArc(flight: FlightStage): void {
    const { a, b } = this;
    const held = this.grounds.find((each) => each.index === this.heldStage);
    a.copy(flight.from);
    b.copy(flight.to);
    if (held && held.index === flight.index - 1) a.add(this.heldBy);
    if (held && held.index === flight.index + 1) b.add(this.heldBy);
    const lift = flight.index === this.heldFlight ? this.heldBy.y : 0;
    const top = Math.max(flight.top.y + lift, a.y, b.y);
    const up = Math.sqrt(top - a.y), down = Math.sqrt(top - b.y);
    const peak = up + down > 0 ? up / (up + down) : 0.5;
    let x = a.x, y = a.y, z = a.z;
    for (let i = 1; i <= PIECES; i += 1) {
      const s = i / PIECES;
      const off = s < peak ? (peak - s) / peak : (s - peak) / (1 - peak || 1);
      const ny = top - off * off * (s < peak ? top - a.y : top - b.y);
      const nx = a.x + s * (b.x - a.x), nz = a.z + s * (b.z - a.z);
      this.arcs.add(x, y, z, nx, ny, nz);
      x = nx; y = ny; z = nz;
    }
  }

  private mark({ dots, palette: { colours }, hovered, held, selection }: Moment): void {
    const { a } = this;
    for (const stage of this.grounds) {
      const mine = selection?.kind === "stage" && selection.index === stage.index;
      const over = hovered === `stage:${stage.index}` || held === `stage:${stage.index}`;
      this.middle(stage, a);
      dots.add(a.x, a.y + LIFT_M, a.z, mine || over ? colours.accent : colours.goal, over ? 15 : 12, DISC);
      const turning = hovered === `dial:${stage.index}` || held === `dial:${stage.index}`;
      this.knob(stage, a);
      dots.add(a.x, a.y + LIFT_M, a.z, turning ? colours.accent : colours.goal, turning ? 13 : 10, DISC);
    }
    for (const { index, top } of this.flights) {
      const over = hovered === `flight:${index}` || held === `flight:${index}`;
      const lift = index === this.heldFlight ? this.heldBy.y : 0;
      dots.add(top.x, top.y + lift, top.z, over ? colours.accent : colours.goal, over ? 17 : 14, DIAMOND);
    }
  }

  dispose(): void {
    this.group.removeFromParent();
    this.rings.dispose();
    this.arcs.dispose();
  }
}

function highest(path: Float32Array, first: number, last: number): number {
  let best = first;
  for (let f = first; f <= last; f += 1) if (path[3 * f + 1]! > path[3 * best + 1]!) best = f;
  return best;
}

/** How high a flight rises over the last frame on the ground; 0 when there is none. */
export function riseIn(physics: PhysicsData | undefined, flight: number): number {
  const stage = physics?.message.stages.filter((each) => each.name === "flight")[flight];
  const com = floats(physics?.arrays, "com_m");
  if (!stage || !com.length) return 0;
  const first = Math.max(0, stage.first - 1), last = Math.min(com.length / 3 - 1, stage.last + 1);
  return com[3 * highest(com, first, last) + 1]! - com[3 * first + 1]!;
}

function leaps(recipe: Recipe | null): boolean {
  return ((recipe?.steps ?? []) as unknown[]).some((_, step) => methodOf(recipe!, step) === "momentum");
}
