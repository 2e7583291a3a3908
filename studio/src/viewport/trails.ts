// The way of the selected point: a line through the frames around the cursor, a mark for every frame.

import { Group } from "three";
import type { MotionData } from "../store";
import { DISC } from "./dots";
import { pathOf, shapeOf } from "./kinematics";
import { Lines, strideOf } from "./lines";
import type { Moment } from "./moment";
import { findPoint } from "./points";

const WINDOW_S = 1;
const MOST = 256;

class Trail {
  readonly lines = new Lines(MOST, { width: 2, opacity: 0.85, order: 6 });
  private path: Float32Array = new Float32Array(0);
  private first = 0;
  private motion: MotionData | null = null;
  private point = "";
  private row = -1;

  /** Anew only where the motion, the point or the frame is another, and only of the frames that are seen. */
  update(moment: Moment, motion: MotionData | null, point: string, figureKey: string): void {
    const { figure, row } = moment;
    const found = figure && findPoint(figure, point);
    if (!motion || !found || motion.figure !== figureKey) return this.clear();
    if (motion === this.motion && point === this.point && row === this.row) return void (this.lines.mesh.visible = true);
    this.motion = motion;
    this.point = point;
    this.row = row;
    const reach = Math.round(WINDOW_S * motion.rate);
    this.first = Math.max(0, row - reach);
    const last = Math.min(motion.frames - 1, row + reach);
    this.path = pathOf(shapeOf(figure), motion, found.joint, found.offset, this.first, last, this.path);
    this.lines.begin();
    this.lines.addPath(this.path, 0, last - this.first, 0, strideOf(motion.rate));
    this.lines.end();
  }

  marks({ dots, palette: { colours } }: Moment, colour: "before" | "after"): void {
    if (!this.motion) return;
    const step = Math.max(1, Math.round(this.motion.rate / 30));
    const here = this.row - this.first;
    for (let i = here % step; 3 * i < this.path.length; i += step)
      dots.add(this.path[3 * i]!, this.path[3 * i + 1]!, this.path[3 * i + 2]!, colours[colour], i === here ? 7 : 4, DISC);
  }

  clear(): void {
    this.motion = null;
    this.lines.clear();
  }
}

export class Trails {
  readonly group = new Group();
  private readonly after = new Trail();
  private readonly before = new Trail();

  constructor() {
    this.group.add(this.before.lines.mesh, this.after.lines.mesh);
  }

  update(moment: Moment): void {
    const { shown, selection, figure, motion, palette: { colours } } = moment;
    this.group.visible = shown.trails && !!figure && !!motion;
    if (!this.group.visible) return;
    const point = selection?.kind === "point" ? selection.name : figure!.message.joint_names[0]!;
    this.after.lines.colour = motion!.which === "before" ? colours.before : colours.after;
    this.before.lines.colour = colours.before;
    const key = figure!.message.key;
    this.after.update(moment, motion, point, key);
    const both = shown.before && motion!.which !== "before";
    if (both) this.before.update(moment, moment.before, point, key);
    else this.before.clear();
    if (both) this.before.marks(moment, "before");
    this.after.marks(moment, motion!.which === "before" ? "before" : "after");
  }

  dispose(): void {
    this.group.removeFromParent();
    this.after.lines.dispose();
    this.before.lines.dispose();
  }
}
