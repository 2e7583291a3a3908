// The selected follow_curve: its places in a plot and a table, and how it goes through them.

import { batch } from "@preact/signals";
import { edit, frame, frameCount, notice, openStep, rate, recipe, selection, type Recipe } from "../store";
import { changeWish, type Vec3, type Wish } from "../recipe";
import { NumberBox, Section, Slider } from "./controls";
import { CurvePlot } from "./curve_plot";
import { asWritten, curveOf, movedPass } from "./curve_passes";
import type { Pass } from "./curve_shape";
import { recipeDrag, selectedWish } from "./editing";
import "./editors.css";

export function CurveEditor() {
  const wish = selectedWish.value;
  return wish?.kind === "follow_curve" ? <Curve wish={wish} /> : null;
}

const SHAPES = {
  tension: "1: comes to a stop; negative: rounder", continuity: "-1: a corner", bias: "1: swings past the place; -1: turns before it",
} as const;

function Curve({ wish }: { wish: Wish }) {
  const curve = curveOf(wish.values, frameCount.value, rate.value);
  const { passes } = curve;
  const picked = selection.value?.kind === "constraint" ? (selection.value.point ?? 0) : 0;
  const chosen = Math.min(picked, passes.length - 1);
  const pass = passes[chosen];
  const name = wish.values.name ?? "curve";

  const choose = (point: number) => {
    const now = selection.peek();
    if (now?.kind === "constraint" && now.point !== point) selection.value = { ...now, point };
  };
  const withPasses = (changed: Pass[], more: Record<string, any> = {}): Recipe =>
    changeWish(recipe.peek()!, openStep.peek(), wish.index, { through: asWritten(changed), ...more });
  const put = (changed: Pass[], label: string, merge = "", more: Record<string, any> = {}) => edit(withPasses(changed, more), label, merge);
  const change = (values: Partial<Pass>, label: string, merge = "") =>
    put(passes.map((each, i) => (i === chosen ? { ...each, ...values } : each)), label, merge);

  const add = () => {
    const at = Math.round(frame.peek());
    const inside = passes.findIndex((each) => at >= each.frame && at <= (each.until ?? each.frame));
    if (inside >= 0) {
      choose(inside);
      return notice("There is a place at this frame already.");
    }
    const place = curve.at(Math.max(curve.first, Math.min(curve.last, at))).map((v) => Number(v.toFixed(5))) as Vec3;
    const [first, last] = [Math.min(curve.first, at), Math.max(curve.last, at)];
    const wider = first < curve.first || last > curve.last ? { frames: [first, last], seconds: undefined } : {};
    const next = [...passes, { frame: at, place_m: place }].sort((a, b) => a.frame - b.frame);
    batch(() => {
      put(next, `one more place of ${name}`, "", wider);
      choose(next.findIndex((each) => each.frame === at));
    });
  };
  const remove = (index: number) => {
    put(passes.filter((_, i) => i !== index), `without frame ${passes[index]!.frame} of ${name}`);
    choose(Math.max(0, index - 1));
  };
  let gesture: ReturnType<typeof recipeDrag> | null = null;

  return (
    <Section title={`Curve of “${name}”`} testid="curve-editor">
      <CurvePlot
        curve={curve} chosen={chosen} axes={wish.values.axes ?? "xyz"} onChoose={choose} onDelete={remove}
        onDrag={(i, at, place) => {
          gesture ??= recipeDrag(`drag ${name}`);
          gesture.show(withPasses(movedPass(curve, i, at, place)));
        }}
        onEnd={(kept) => {
          gesture?.end(kept);
          gesture = null;
        }}
        onStep={(i, at, place) => put(movedPass(curve, i, at, place), `move ${name}`, `step ${wish.index} ${i}`)}
      />
      <table class="ed-table">
        <thead><tr><th>frame</th><th>x</th><th>y</th><th>z</th><th aria-label="remove" /></tr></thead>
        <tbody>
          {passes.map((each, i) => (
            <tr key={i} class={i === chosen ? "ed-on" : ""} data-testid={`curve-row-${i}`} onFocusIn={() => choose(i)} onClick={() => choose(i)}>
              <td>
                <NumberBox bare label={`Place ${i + 1}: frame`} value={each.frame} step={1} testid={`curve-${i}-frame`}
                  onChange={(to) => to !== undefined && put(movedPass(curve, i, to, each.place_m), `time of ${name}`)} />
              </td>
              {[0, 1, 2].map((k) => (
                <td key={k}>
                  <NumberBox bare label={`Place ${i + 1}: ${"xyz"[k]}, m`} value={Number(each.place_m[k]!.toFixed(3))} step={0.01} testid={`curve-${i}-${"xyz"[k]}`}
                    onChange={(to) => to !== undefined && put(movedPass(curve, i, each.frame, each.place_m.map((v, m) => (m === k ? to : v)) as Vec3), `move ${name}`)} />
                </td>
              ))}
              <td><button type="button" class="ed-reset" aria-label={`Remove the place at frame ${each.frame}`} data-testid={`curve-${i}-delete`} onClick={(event) => { event.stopPropagation(); remove(i); }}>×</button></td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="ed-buttons">
        <button type="button" data-testid="curve-add" onClick={add}>Add at the playhead</button>
        {pass && <button type="button" onClick={() => (frame.value = pass.frame)}>Go to frame {pass.frame}</button>}
      </div>
      {pass && (
        <fieldset class="ed-plain" aria-label={`How it goes through frame ${pass.frame}`}>
          <NumberBox
            label="rests until" placeholder="only passed" value={pass.until} min={pass.frame} max={(passes[chosen + 1]?.frame ?? curve.last + 1) - 1} step={1} testid="curve-until"
            title="The last frame of a rest at the place" onChange={(until) => change({ until }, `rest of ${name}`)}
          />
          {(Object.keys(SHAPES) as (keyof typeof SHAPES)[]).map((key) => (
            <Slider
              key={key} label={key} min={-1} max={1} step={0.05} value={key === "tension" && pass.until != null ? 1 : (pass[key] ?? 0)} title={SHAPES[key]} testid={`curve-${key}`}
              shown={(key === "tension" && pass.until != null ? 1 : (pass[key] ?? 0)).toFixed(2)} changed={!!pass[key]} onReset={() => change({ [key]: undefined }, `${key} of ${name}`)}
              onInput={(to, merge) => change({ [key]: to }, `${key} of ${name}`, merge)}
            />
          ))}
        </fieldset>
      )}
    </Section>
  );
}
