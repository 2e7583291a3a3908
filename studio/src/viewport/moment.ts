// What is shown right now: the same for all that draws.

import type { Arrays } from "../connection";
import type { Goals } from "../messages";
import type { FigureData, MotionData, PhysicsData, Recipe, Selection, shown } from "../store";
import type { Dots } from "./dots";
import type { GroundView } from "./ground";
import type { Pose } from "./kinematics";
import type { Palette } from "./palette";

export interface Moment {
  /** In frames, may be between two; and the nearest whole one. */
  frame: number;
  row: number;
  motion: MotionData | null;
  before: MotionData | null;
  figure: FigureData | null;
  pose: Pose | null;
  /** Of the motion that is shown; null until it has come. */
  physics: PhysicsData | null;
  /** The last of the result or the capture: its contacts keep their numbers while something is dragged. */
  lastPhysics: PhysicsData | null;
  /** Of the capture: what edits of a leap start from. */
  captured: PhysicsData | null;
  goals: { message: Goals; arrays: Arrays } | null;
  recipe: Recipe | null;
  selection: Selection;
  shown: typeof shown.value;
  ground: GroundView;
  palette: Palette;
  dots: Dots;
  /** Of what the pointer is over, and of what is held; empty: nothing. */
  hovered: string;
  held: string;
}

export function floats(arrays: Arrays | undefined, name: string): Float32Array {
  const found = arrays?.[name];
  return found instanceof Float32Array ? found : NONE;
}

const NONE = new Float32Array(0);
