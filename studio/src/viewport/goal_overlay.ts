// What constraints ask for: the paths of their goals, a handle at the current frame, and the places that
// curves pass through.

import { Group } from "three";
import type { Arrays } from "../connection";
import type { Goal, Goals } from "../messages";
import { wishesOf } from "../recipe";
import type { Recipe, Selection } from "../store";
import { DIAMOND, DISC, RING } from "./dots";
import { frameOf } from "./edits";
import { Lines, strideOf } from "./lines";
import { floats, type Moment } from "./moment";

/** A place that a curve passes through. */
export interface Pass { step: number; index: number; point: number; frame: number; place: [number, number, number]; key: string }
/** The goal of a constraint over its frames. */
export interface GoalPath { goal: Goal; path: Float32Array; key: string }

export class GoalOverlay {
  readonly group = new Group();
  goals: GoalPath[] = [];
  passes: Pass[] = [];
  private readonly usual = new Lines(512, { width: 2, opacity: 0.75, onTop: true, order: 8 });
  private readonly missed = new Lines(64, { width: 2, opacity: 0.85, onTop: true, order: 8 });
  private readonly chosen = new Lines(256, { width: 3.5, onTop: true, order: 9 });
  private data: { message: Goals; arrays: Arrays } | null = null;
  private recipe: Recipe | null = null;
  private selection: Selection = null;
  private painted = -1;

  constructor() {
    this.group.add(this.usual.mesh, this.missed.mesh, this.chosen.mesh);
  }

  update(moment: Moment): void {
    const { goals, recipe, selection, shown, palette } = moment;
    this.group.visible = shown.goals;
    if (!shown.goals) {
      if (this.goals.length || this.passes.length) this.goals = this.passes = [];
      this.data = this.recipe = null;
      return;
    }
    const other = goals !== this.data;
    if (other) {
      this.data = goals;
      const all = floats(goals?.arrays, "path_m");
      this.goals = (goals?.message.goals ?? []).map((goal) => ({
        goal, key: `goal:${goal.step}:${goal.index}`,
        path: all.subarray(3 * goal.row, 3 * (goal.row + goal.last - goal.first + 1)),
      })).filter(({ path }) => path.length > 0);
    }
    if (other || recipe !== this.recipe) {
      this.recipe = recipe;
      this.passes = recipe ? this.passesOf(recipe, moment.motion?.rate ?? 30) : [];
    }
    if (other || selection !== this.selection || palette.version !== this.painted) {
      this.selection = selection;
      this.painted = palette.version;
      this.draw(moment);
    }
    this.mark(moment);
  }

  private passesOf(recipe: Recipe, rate: number): Pass[] {
    const found: Pass[] = [];
    for (let step = 0; step < (recipe.steps ?? []).length; step += 1)
      for (const { kind, values, index } of wishesOf(recipe, step)) {
        if (kind !== "follow_curve") continue;
        const absolute = (values.mode ?? "absolute") === "absolute";
        const known = this.goals.find(({ goal }) => goal.step === step && goal.index === index);
        ((values.through ?? []) as Record<string, any>[]).forEach((pass, point) => {
          const frame = frameOf(pass, { frames: 0, rate });
          const at = known ? 3 * (frame - known.goal.first) : -1;
          const place = absolute ? pass.place_m : known?.path.slice(at, at + 3);
          if (place?.length !== 3) return;
          found.push({ step, index, point, frame, place: [place[0], place[1], place[2]], key: `pass:${step}:${index}:${point}` });
        });
      }
    return found;
  }

  private isChosen(step: number, index: number): boolean {
    const { selection } = this;
    return selection?.kind === "constraint" && selection.step === step && selection.index === index;
  }

  /** A planted part has its footprint: its path is only shown when it is asked for. */
  drawsPath(goal: Goal): boolean {
    return goal.constraint !== "plant" || goal.met === false || this.isChosen(goal.step, goal.index);
  }

  private draw({ motion, palette: { colours } }: Moment): void {
    const step = strideOf(motion?.rate ?? 30);
    const rows = this.goals.reduce((count, { path }) => count + path.length / 3, 0);
    for (const each of [this.usual, this.missed, this.chosen]) {
      each.reserve(rows);
      each.begin();
    }
    for (const { goal, path } of this.goals) {
      if (!this.drawsPath(goal)) continue;
      const lines = this.isChosen(goal.step, goal.index) ? this.chosen : goal.met === false ? this.missed : this.usual;
      lines.addPath(path, 0, path.length / 3 - 1, 0, step);
    }
    this.usual.colour = colours.goal;
    this.missed.colour = colours.poor;
    this.chosen.colour = colours.accent;
    for (const each of [this.usual, this.missed, this.chosen]) each.end();
  }

  private mark({ row, dots, palette: { colours }, hovered, held, selection }: Moment): void {
    for (const { goal, path, key } of this.goals) {
      if (row < goal.first || row > goal.last || !this.drawsPath(goal)) continue;
      const at = 3 * (row - goal.first);
      const over = hovered === key || held === key;
      const colour = over || this.isChosen(goal.step, goal.index) ? colours.accent : goal.met === false ? colours.poor : colours.goal;
      if (held !== key) dots.add(path[at]!, path[at + 1]!, path[at + 2]!, colour, over ? 15 : 12, DIAMOND);
    }
    const point = selection?.kind === "constraint" ? selection.point : undefined;
    for (const pass of this.passes) {
      const over = hovered === pass.key || held === pass.key;
      const mine = this.isChosen(pass.step, pass.index);
      const colour = over || (mine && (point === undefined || point === pass.point)) ? colours.accent : colours.goal;
      const [x, y, z] = pass.place;
      dots.add(x, y, z, colour, over ? 12 : 9, DISC);
      if (pass.frame === row) dots.add(x, y, z, colour, 16, RING);
    }
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const each of [this.usual, this.missed, this.chosen]) each.dispose();
  }
}
