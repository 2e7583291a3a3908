// Names that fields may take: points and joints of the body that is shown, and words of settings.

import { current, figures, frameCount } from "../store";
import type { Figure } from "../messages";

/** Text fields of which all values are known, though the schema only says text. */
const WORDS: Record<string, string[]> = {
  part: ["left_foot", "right_foot", "left_hand", "right_hand"],
  strategy: ["priorities", "weights"],
  fit: ["physics", "separate"],
  derivatives: ["sampled", "analytic"],
  carry: ["displacement", "pose"],
  axis: ["x", "y", "z"],
};

const POINT_KEYS = new Set(["point", "points", "first", "second", "eye", "target", "on"]);
const JOINT_KEYS = new Set(["joint", "joints", "relative_to", "up_to", "left_out", "mobility", "heavier", "extra_edges", "spheres"]);

export function wordsFor(key: string): string[] | undefined {
  return WORDS[key];
}

/** Which list of names belongs to a key, if one does. */
export function listFor(key: string): string | undefined {
  if (POINT_KEYS.has(key)) return "pn-points";
  if (JOINT_KEYS.has(key)) return "pn-joints";
  return undefined;
}

/** Where a field starts when it is first given a value. */
export function startFor(key: string): any {
  return key === "frames" ? [0, Math.max(0, frameCount.value - 1)] : undefined;
}

/** The body on the screen. */
export function shownFigure(): Figure | null {
  const key = current.value?.figure;
  const known = key === undefined ? undefined : figures.value.get(key);
  return known?.message ?? null;
}

/** The lists themselves, once in the page. */
export function BodyNames() {
  const figure = shownFigure();
  const roles = Object.keys(figure?.roles ?? {});
  const joints = [...new Set([...roles, ...(figure?.joint_names ?? [])])];
  const points = [...new Set([...roles, ...(figure?.sites ?? []).map((each) => each.name), ...joints])];
  return (
    <>
      <datalist id="pn-points">{points.map((each) => <option key={each} value={each} />)}</datalist>
      <datalist id="pn-joints">
        {["root", "translation", ...joints].map((each) => <option key={each} value={each} />)}
      </datalist>
    </>
  );
}
