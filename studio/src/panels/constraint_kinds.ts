// The kinds of constraints: in words, which method takes which, and what a new one starts with.

import { frame, frameCount, openStep, rate, recipe, selection } from "../store";
import { freeName, wishesOf, type Vec3 } from "../recipe";
import { poseOf } from "./point_place";

export interface KindWords { word: string; about: string }

export const KINDS: Record<string, KindWords> = {
  follow_curve: { word: "Pass places", about: "A point leaves its path, passes places and comes back" },
  hold_point: { word: "Hold a point", about: "A point of the body stays at one place" },
  plant: { word: "Plant", about: "A foot or hand stands still, in place and direction" },
  place_center_of_mass: { word: "Centre of mass", about: "Keeps its relation to the feet, or its path" },
  look_at: { word: "Look at", about: "A joint faces a place or a point" },
  orient: { word: "Orient", about: "A joint is turned a certain way" },
  keep_distance: { word: "Keep a distance", about: "Two points stay so far apart" },
  hit_at: { word: "Hit at a frame", about: "A point is at a place in one frame" },
  stay_on_side: { word: "Stay on a side", about: "A point stays below or above a level" },
  move_stage: { word: "Move a stage", about: "Where a leap starts or lands" },
  flight_height: { word: "Flight height", about: "A flight goes higher or lower" },
  gravity: { word: "Gravity", about: "Things fall faster or slower" },
};

/** What priorities do in a method, in words; none: it has no constraints. */
export const LAYER_WORDS: Record<string, string> = {
  deform: "A lesser layer never disturbs a greater one.",
  filter: "Filter keeps all of them together; layers do not count.",
  momentum: "Layer 1 is kept exactly, the others as far as they cost little.",
  pattern: "A lesser layer never disturbs a greater one.",
};

export const NO_CONSTRAINTS: Record<string, string> = {
  correct: "Correct takes no constraints. It finds what touches, and takes out of the capture what body and ground rule out. Change contacts in the timeline, settings under Method.",
  retarget: "Retarget takes no constraints. Add a step after it for those.",
};

const HALF_S = 0.5;

/** What a new constraint says: about the point that is selected, around the cursor. */
export function startingValues(kind: string): Record<string, any> {
  const now = recipe.value!;
  const chosen = selection.value?.kind === "point" ? selection.value.name : null;
  const at = Math.round(frame.value);
  const reach = Math.round(HALF_S * rate.value);
  const frames = [Math.max(0, at - reach), Math.min(Math.max(0, frameCount.value - 1), at + reach)];
  const ease = Math.max(1, Math.round(0.1 * rate.value));
  const point = chosen ?? "right_wrist";
  const place: Vec3 = poseOf(point)?.place ?? [0, 1, 0];
  const named = (wanted: string): string => freeName(now, openStep.value, wanted.replaceAll("_", " "));
  const lesser = 2;
  switch (kind) {
    case "hold_point":
      return { name: named(point), point, place_m: place, frames, ease, priority: lesser };
    case "follow_curve":
      return { name: named(point), point, through: [{ frame: at, place_m: place }], frames, priority: lesser };
    case "hit_at":
      return { name: named(point), point, place_m: place, frame: at };
    case "orient": {
      const joint = chosen ?? "head";
      return { name: named(`turn ${joint}`), joint, turn_wxyz: poseOf(joint)?.turn ?? [1, 0, 0, 0], frames, ease, priority: lesser };
    }
    case "look_at": {
      const joint = chosen ?? "head";
      const [x, y, z] = poseOf(joint)?.place ?? [0, 1.6, 0];
      return { name: named("look"), joint, target: [x + 1, y, z + 2].map((v) => Math.round(v * 1e4) / 1e4), frames, ease, priority: lesser };
    }
    case "keep_distance":
      return { name: named("hands together"), first: "left_wrist", second: "right_wrist", frames, ease, priority: lesser };
    case "place_center_of_mass": {
      const last = Math.max(1, ...wishesOf(now, openStep.value).map((each) => each.values.priority ?? 1));
      return { name: named("balance"), points: ["left_ankle", "right_ankle"], axes: "xz", frames: "all", priority: last + 1 };
    }
    case "plant": {
      const part = chosen && /^(left|right)_(wrist|elbow|hand)/.test(chosen) ? "hand" : "foot";
      const side = chosen?.startsWith("right") ? "right" : "left";
      return { name: named(`${side} ${part}`), part: `${side}_${part}`, frames, ease, priority: 1 };
    }
    case "stay_on_side": {
      const over = chosen ?? "head_top";
      const height = poseOf(over)?.place[1] ?? 1.7;
      return { name: named(`low ${over}`), point: over, limit_m: Math.round((height - 0.1) * 100) / 100, frames, ease };
    }
    case "move_stage":
      return { name: named("landing"), stage: -1, by_m: [0, 0, 0.3] };
    case "flight_height":
      return { name: named("higher"), flight: 0, scale: 1.3 };
    case "gravity":
      return { name: named("gravity"), gravity_m_s2: 6 };
  }
  return { name: named(kind) };
}
