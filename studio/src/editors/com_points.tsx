// What the centre of mass keeps its relation to: points of the body, on and off.

import { edit, frame, openStep, physics, recipe, selection } from "../store";
import { addWish, changeWish, freeName, wishesOf, type Vec3, type Wish } from "../recipe";
import { BodyDiagram, placeOf } from "./body_diagram";
import { Choice, Section } from "./controls";
import { body, round, selectedWish, words } from "./editing";

const KIND = "place_center_of_mass";
const FEET = ["left_ankle", "right_ankle"];

/** The selected one, else the first of the step. */
function centerWish(): Wish | null {
  if (selectedWish.value?.kind === KIND) return selectedWish.value;
  const now = recipe.value;
  return (now && wishesOf(now, openStep.value).find((each) => each.kind === KIND)) || null;
}

/** Where the motion that is shown has it, at the playhead. */
function centreNow(): Vec3 | null {
  const path = (physics.value.get("after") ?? physics.value.get("before"))?.arrays.com_m;
  const at = 3 * Math.round(frame.peek());
  return path && at + 2 < path.length ? [round(path[at]!, 3), round(path[at + 1]!, 3), round(path[at + 2]!, 3)] : null;
}

export function ComPoints() {
  const now = recipe.value;
  const figure = body.value?.message;
  if (!now || !figure) return null;
  const wish = centerWish();
  const known = [...Object.keys(figure.roles), ...figure.sites.map((site) => site.name)];
  const points: string[] = wish?.values.points ?? [];
  const mode = wish?.values.mode ?? (points.length ? "relation" : "original");

  const add = () => {
    const wishes = wishesOf(now, openStep.value);
    const layer = 1 + Math.max(0, ...wishes.map((each) => each.values.priority ?? 1));
    const values = {
      name: freeName(now, openStep.value, "balance"), frames: "all",
      points: FEET.filter((name) => known.includes(name)), axes: "xz", priority: layer,
    };
    edit(addWish(now, openStep.value, KIND, values), "keep balance");
    selection.value = { kind: "constraint", step: openStep.value, index: wishes.length };
  };
  if (!wish) {
    return (
      <Section title="Centre of mass" closed>
        <p class="ed-about">Keep the centre of mass over the feet, below what there is in importance.</p>
        <button type="button" class="ed-button" data-testid="com-add" onClick={add}>Keep balance</button>
      </Section>
    );
  }
  const change = (changed: Record<string, any>, label: string) =>
    edit(changeWish(now, openStep.value, wish.index, changed), label);
  const toggle = (name: string) => {
    const left = points.includes(name) ? points.filter((each) => each !== name) : [...points, name];
    // Without points there is no relation: then its captured path counts.
    change({ points: left.length ? left : undefined, mode: left.length ? "relation" : undefined, place_m: undefined }, `centre of mass: ${words(name)}`);
  };
  return (
    <Section
      title={`Centre of mass: “${wish.values.name ?? "balance"}”`} testid="com-points"
      about="Lit points: it keeps its place over their middle, wherever the edit takes them."
    >
      <Choice
        label="Keeps" value={mode} testid="com-mode"
        options={{ relation: "to the points", original: "its path", absolute: "a place" }}
        onChange={(to) => change({
          mode: to,
          points: to === "relation" ? FEET.filter((name) => known.includes(name)) : undefined,
          place_m: to === "absolute" ? (centreNow() ?? [0, round(figure.height_m * 0.55, 2), 0]) : undefined,
        }, "centre of mass")}
      />
      <BodyDiagram
        label="Points that the centre of mass keeps to" testid="com-point"
        spots={known.filter(placeOf).map((name) => ({ name, on: points.includes(name), faint: mode !== "relation" }))}
        onToggle={toggle}
      />
      <p class="ed-about">{points.filter((name) => !placeOf(name)).map(words).join(", ")}</p>
    </Section>
  );
}
