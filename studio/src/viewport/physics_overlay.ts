// Balance drawn on the figure: support area, zero-moment point, centre of mass, reaction forces.

import {
  BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Group, Mesh, MeshBasicMaterial, Vector3,
} from "three";
import type { PhysicsData } from "../store";
import { DISC, QUARTERED, RING } from "./dots";
import { Lines, strideOf } from "./lines";
import { floats, type Moment } from "./moment";

const MOST_CORNERS = 96;
const MOST_FORCES = 96;
const LIFT_M = 0.006;
/** How long an arrow is that carries the whole weight. */
const WEIGHT_LONG_M = 0.5;
const LEAST_SHARE = 0.01;
const HEAD_M = 0.05;
const COM_WINDOW_S = 1;
const ZMP_WINDOW_S = 0.4;
/** What noise throws further out of the support area than this says nothing, and would cross the whole picture. */
const ZMP_REACH_M = 0.4;

export class PhysicsOverlay {
  readonly group = new Group();
  private readonly area: Mesh<BufferGeometry, MeshBasicMaterial>;
  private readonly corners = new BufferAttribute(new Float32Array(3 * MOST_CORNERS), 3);
  private readonly border = new Lines(MOST_CORNERS, { width: 2, order: 4 });
  private readonly comPath = new Lines(256, { width: 1.5, opacity: 0.8, order: 6 });
  private readonly drop = new Lines(1, { width: 1, opacity: 0.6, order: 6 });
  private readonly zmpPath = new Lines(256, { width: 1.5, opacity: 0.6, order: 6 });
  private readonly shafts = new Lines(MOST_FORCES, { width: 3, onTop: true, opacity: 0.9, order: 7 });
  private readonly heads = new Lines(MOST_FORCES, { width: 11, onTop: true, opacity: 0.9, order: 7, taper: true });
  private drawn: PhysicsData | null = null;
  private drawnRow = -1;
  private painted = -1;
  private readonly way = new Vector3();
  /** Where the centre of mass is now, or was last, for its handle; not-a-number when that is not known. */
  readonly com = new Float32Array([NaN, NaN, NaN]);

  constructor() {
    const geometry = new BufferGeometry();
    this.corners.setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", this.corners);
    const fan: number[] = [];
    for (let i = 1; i + 1 < MOST_CORNERS; i += 1) fan.push(0, i, i + 1);
    geometry.setIndex(fan);
    this.area = new Mesh(geometry, new MeshBasicMaterial({
      transparent: true, opacity: 0.22, depthWrite: false, side: DoubleSide,
    }));
    this.area.frustumCulled = false;
    this.area.renderOrder = 4;
    this.group.add(
      this.area, this.border.mesh, this.comPath.mesh, this.drop.mesh, this.zmpPath.mesh, this.shafts.mesh, this.heads.mesh,
    );
  }

  update(moment: Moment): void {
    const { physics, shown, palette } = moment;
    if (palette.version !== this.painted) this.paint(moment);
    const com = floats((physics ?? moment.lastPhysics)?.arrays, "com_m");
    const frames = com.length / 3;
    this.group.visible = !!physics && frames > 0;
    this.placeCenter(moment.frame, com, frames);
    if (!physics || frames === 0) return;
    const row = Math.min(moment.row, frames - 1);
    if (physics !== this.drawn || row !== this.drawnRow) {
      this.drawn = physics;
      this.drawnRow = row;
      this.drawSupport(moment, row);
      this.drawForces(physics, row);
      this.drawPaths(moment, row, frames);
    }
    this.area.visible = shown.support && this.area.geometry.drawRange.count > 0;
    this.border.mesh.visible = this.area.visible;
    this.shafts.mesh.visible = this.heads.mesh.visible = shown.forces && !this.heads.empty;
    this.comPath.mesh.visible = shown.com && !this.comPath.empty;
    this.zmpPath.mesh.visible = shown.zmp && !this.zmpPath.empty;
    this.drawMarks(moment, row);
  }

  private placeCenter(frame: number, com: Float32Array, frames: number): void {
    const from = Math.min(Math.floor(frame), frames - 1), to = Math.min(from + 1, frames - 1);
    const share = Math.min(1, Math.max(0, frame - from));
    for (let k = 0; k < 3; k += 1)
      this.com[k] = frames ? (1 - share) * com[3 * from + k]! + share * com[3 * to + k]! : NaN;
  }

  private paint({ palette: { colours, version } }: Moment): void {
    this.painted = version;
    this.area.material.color.copy(colours.good);
    this.border.colour = colours.good;
    this.comPath.colour = colours.text;
    this.drop.colour = colours.text;
    this.zmpPath.colour = colours.accent;
    this.shafts.colour = colours.live;
    this.heads.colour = colours.live;
    this.drawnRow = -1;
  }

  private drawSupport({ physics, ground }: Moment, row: number): void {
    const all = floats(physics!.arrays, "corners_m");
    const starts = physics!.arrays.starts;
    const first = starts?.[row] ?? 0, stop = starts?.[row + 1] ?? 0;
    const count = Math.min(stop - first, MOST_CORNERS);
    const { array } = this.corners;
    this.border.begin();
    for (let i = 0; i < count; i += 1) {
      const at = 3 * (first + i), next = 3 * (first + ((i + 1) % count));
      for (let k = 0; k < 3; k += 1) array[3 * i + k] = all[at + k]!;
      // The area is drawn on the ground below the points, which may be a little inside of it.
      array[3 * i + 1] = Math.max(all[at + 1]!, ground.heightAt(all[at]!, all[at + 2]!)) + LIFT_M;
      const other = Math.max(all[next + 1]!, ground.heightAt(all[next]!, all[next + 2]!)) + LIFT_M;
      if (count > 1) this.border.add(array[3 * i]!, array[3 * i + 1]!, array[3 * i + 2]!, all[next]!, other, all[next + 2]!);
    }
    this.border.end();
    this.corners.needsUpdate = true;
    this.area.geometry.setDrawRange(0, Math.max(0, 3 * (count - 2)));
  }

  private drawForces(physics: PhysicsData, row: number): void {
    const points = floats(physics.arrays, "points_m"), forces = floats(physics.arrays, "forces_n");
    const weight = physics.message.weight_n || 1;
    const frames = floats(physics.arrays, "com_m").length / 3;
    const count = points.length / 3 / frames;
    const scale = WEIGHT_LONG_M / weight;
    this.shafts.begin();
    this.heads.begin();
    for (let i = 0; i < count; i += 1) {
      const at = 3 * (row * count + i);
      this.way.set(forces[at]!, forces[at + 1]!, forces[at + 2]!).multiplyScalar(scale);
      const length = this.way.length();
      if (!(length > LEAST_SHARE * WEIGHT_LONG_M)) continue;
      const x = points[at]!, y = points[at + 1]!, z = points[at + 2]!;
      const { way } = this;
      const neck = 1 - Math.min(HEAD_M / length, 0.6);
      this.shafts.add(x, y, z, x + neck * way.x, y + neck * way.y, z + neck * way.z);
      this.heads.add(x + neck * way.x, y + neck * way.y, z + neck * way.z, x + way.x, y + way.y, z + way.z);
    }
    this.shafts.end();
    this.heads.end();
  }

  private drawPaths({ physics, motion }: Moment, row: number, frames: number): void {
    const rate = motion?.rate ?? 30, step = strideOf(rate);
    const around = (seconds: number): [number, number] => {
      const reach = Math.round(seconds * rate);
      return [Math.max(0, row - reach), Math.min(frames - 1, row + reach)];
    };
    const { comPath, zmpPath } = this;
    comPath.begin();
    comPath.addPath(floats(physics!.arrays, "com_m"), ...around(COM_WINDOW_S), 0, step);
    comPath.end();
    const zmp = floats(physics!.arrays, "zmp_m"), outside = floats(physics!.arrays, "outside_m");
    const [first, last] = around(ZMP_WINDOW_S);
    zmpPath.begin();
    for (let i = first; i < last; i += step) {
      const next = Math.min(i + step, last);
      if (!(outside[i]! > ZMP_REACH_M) && !(outside[next]! > ZMP_REACH_M)) zmpPath.addPath(zmp, i, next, 2 * LIFT_M, step);
    }
    zmpPath.end();
  }

  private drawMarks(moment: Moment, row: number): void {
    const { dots, shown, palette: { colours }, ground, hovered, held } = moment;
    const x = this.com[0]!, y = this.com[1]!, z = this.com[2]!;
    this.drop.begin();
    if (shown.com) {
      const floor = ground.heightAt(x, z) + LIFT_M;
      this.drop.add(x, y, z, x, floor, z);
      dots.add(x, floor, z, colours.text, 8, RING);
      const close = hovered === "center" || held === "center";
      dots.add(x, y, z, close ? colours.accent : colours.text, close ? 19 : 15, QUARTERED);
    }
    this.drop.end();
    if (shown.zmp) {
      const zmp = floats(moment.physics!.arrays, "zmp_m");
      const outside = floats(moment.physics!.arrays, "outside_m")[row] ?? 0;
      const at = 3 * row;
      dots.add(zmp[at]!, zmp[at + 1]! + 2 * LIFT_M, zmp[at + 2]!, outside > 1e-4 ? colours.poor : colours.good, 11, DISC);
    }
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const each of [this.border, this.comPath, this.drop, this.zmpPath, this.shafts, this.heads]) each.dispose();
    this.area.geometry.dispose();
    this.area.material.dispose();
  }
}
