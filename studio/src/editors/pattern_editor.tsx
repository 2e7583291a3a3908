// Pattern: in the style of which examples, and what is to be hit when.

import { edit, frame, openStep, recipe, selection, send, welcome } from "../store";
import { addWish, changeWish, contentOf, freeName, wishesOf, withContent, type Vec3, type Wish } from "../recipe";
import { accepted } from "../panels/dropped";
import { FilePick } from "../panels/file_pick";
import { Choice, NumberBox, Pick, Section, Slider, Switch } from "./controls";
import { body, changeSettings, selectedWish, settingOf, words } from "./editing";
import { PatternScatter } from "./pattern_scatter";
import { placeNow } from "./point_path";

export function PatternEditor() {
  const now = recipe.value;
  if (!now) return null;
  const content = contentOf(now, openStep.value);
  const reach: number | null = settingOf("reach") ?? null;
  const settings = content.settings ?? {};
  const free = settings.reach === null;
  return (
    <>
      <FilePick
        label="Pattern" value={content.pattern} testid="pattern-file" none="none yet" tip="Examples, as `poise pattern learn` writes them (.npz)"
        groups={{ Patterns: (welcome.value?.files ?? []).filter((file) => file.what === "pattern").map((file) => file.path) }}
        accept={accepted.pattern()} onChange={choosePattern}
      />
      <button type="button" class="ed-link" onClick={() => send({ kind: "ask_files" })}>Look for files again</button>
      <Goal />
      <Section title="Examples"><PatternScatter /></Section>
      <Section title="How near to the examples">
        <Slider
          label="reach" min={0.1} max={3} step={0.05} value={reach ?? 3} shown={free ? "no limit" : `×${(reach ?? 1).toFixed(2)}`}
          title="How far from the mean, against the furthest example" changed={settings.reach !== undefined} testid="pattern-reach"
          onReset={() => changeSettings({ reach: undefined }, "reach")} onInput={(to, merge) => changeSettings({ reach: to }, "reach", merge)}
        />
        <Choice label="Several goals" value={settingOf("goals") ?? "together"} options={{ together: "together", apart: "each its own" }} testid="pattern-goals"
          onChange={(to) => changeSettings({ goals: to }, "several goals")} />
        <Switch label="Keep what is the clip's own" on={settingOf("details") !== "dropped"} testid="pattern-details"
          onChange={(on) => changeSettings({ details: on ? undefined : "dropped" }, "details")} />
        <Switch label="Feet that stand go on standing" on={settingOf("feet") !== "free"} testid="pattern-feet"
          onChange={(on) => changeSettings({ feet: on ? undefined : "free" }, "feet")} />
      </Section>
    </>
  );
}

function choosePattern(pattern: string | undefined): void {
  const now = recipe.peek()!;
  edit(withContent(now, openStep.peek(), { ...contentOf(now, openStep.peek()), pattern }), "choose a pattern");
}

/** What is to be hit: the selected constraint, else the first. */
function Goal() {
  const now = recipe.value;
  const figure = body.value;
  if (!now || !figure) return null;
  const all = wishesOf(now, openStep.value).filter((wish) => wish.kind === "hit_at");
  const wish: Wish | undefined = all.find((each) => each.index === selectedWish.value?.index) ?? all[0];
  const sites = figure.message.sites.map((site) => site.name);
  const points = [...sites, ...Object.keys(figure.message.roles)];
  const add = () => {
    const point = points.find((name) => /club|racket|bat|tool/.test(name)) ?? points.find((name) => name === "right_hand_tip") ?? points[0] ?? "";
    const at = Math.round(frame.value);
    const place = placeNow(point, at) ?? [0, 1, 0];
    const values = { name: freeName(now, openStep.value, "hit"), point, frame: at, place_m: place };
    edit(addWish(now, openStep.value, "hit_at", values), "a goal");
    selection.value = { kind: "constraint", step: openStep.value, index: wishesOf(now, openStep.value).length };
  };
  const change = (changed: Record<string, any>, label: string) => wish && edit(changeWish(now, openStep.value, wish.index, changed), label);
  const place: Vec3 = wish?.values.place_m ?? [0, 0, 0];
  return (
    <Section title="Goal" testid="pattern-goal" about={wish ? undefined : "A point of the body, or of a tool, at a place in one frame."}>
      {all.length > 1 && wish && (
        <Pick label="Goal" value={String(wish.index)} options={Object.fromEntries(all.map((each) => [each.index, each.values.name]))}
          onChange={(to) => (selection.value = { kind: "constraint", step: openStep.value, index: Number(to) })} />
      )}
      {wish && (
        <>
          <Pick label="Point" value={wish.values.point} testid="pattern-point"
            options={Object.fromEntries([...new Set([wish.values.point as string, ...points])].map((name) => [name, words(name)]))}
            onChange={(point) => change({ point }, "point of the goal")} />
          <div class="ed-row">
            <NumberBox label="frame" value={wish.values.frame} step={1} min={0} testid="pattern-frame"
              onChange={(to) => to !== undefined && change({ frame: Math.round(to), second: undefined }, "frame of the goal")} />
            <button type="button" class="ed-link" onClick={() => change({ frame: Math.round(frame.peek()), second: undefined }, "frame of the goal")}>here</button>
            {wish.values.frame !== undefined && <button type="button" class="ed-link" onClick={() => (frame.value = wish.values.frame)}>go there</button>}
          </div>
          <div class="ed-triple" role="group" aria-label="Place of the goal, metres">
            {["x", "y", "z"].map((axis, i) => (
              <label key={axis}>
                <span>{axis}</span>
                <NumberBox bare label={`Goal: ${axis}, m`} value={place[i]} step={0.01} testid={`pattern-place-${axis}`}
                  onChange={(to) => to !== undefined && change({ place_m: place.map((v, k) => (k === i ? to : v)) }, "place of the goal")} />
              </label>
            ))}
          </div>
        </>
      )}
      <button type="button" class="ed-button" data-testid="pattern-add-goal" onClick={add}>{wish ? "One more goal at this frame" : "Add a goal at this frame"}</button>
    </Section>
  );
}
