// Which family of leaps to build: axes by hand, or a line, a grid, a circle of landings.

import { useSignal } from "@preact/signals";
import { openStep, recipe } from "../store";
import { contentOf } from "../recipe";
import { NumberBox, Pick, Section, Switch } from "./controls";
import { changeSettings } from "./editing";
import { circleAxes, freeAxisName, gridAxes, lineAxes, membersOf, spread, valuesFrom, type FamilyAxis } from "./family_axes";

const TWO_LEAPS_MEMBERS = 81;

export function FamilySetup({ grounds, leaps }: { grounds: number; leaps: number }) {
  const stage = useSignal(-1);
  const size = useSignal(0.4);
  const degrees = useSignal(60);
  const density = useSignal(3);
  const along = useSignal<"x" | "z">("z");
  const now = recipe.value;
  if (!now) return null;
  const settings = contentOf(now, openStep.value).settings ?? {};
  const axes: FamilyAxis[] = settings.family ?? [];
  const two: number | null = settings.two_leaps_m ?? null;
  const members = two !== null ? TWO_LEAPS_MEMBERS : membersOf(axes);

  const put = (family: FamilyAxis[], label: string) =>
    changeSettings({ family: family.length ? family : undefined, two_leaps_m: undefined }, label);
  const change = (index: number, changed: Partial<FamilyAxis>) => {
    const next = axes.map((axis, i) => (i === index ? { ...axis, ...changed } : axis));
    for (const axis of next) if (axis.around_stage === undefined) delete axis.around_stage;
    put(next, `axis ${axes[index]?.name ?? ""}`);
  };
  // The stage before it, or after the first.
  const index = stage.value < 0 ? grounds + stage.value : stage.value;
  const around = index > 0 ? index - 1 : Math.min(1, Math.max(0, grounds - 1));
  const names: Record<string, string> = { "-1": "the last landing" };
  for (let i = 0; i < grounds; i += 1) names[String(i)] = i === 0 ? "where it takes off" : `ground ${i + 1}`;

  return (
    <Section
      title="Family of leaps" testid="family-setup" closed={members === 0}
      about="Leaps to many places, solved once and blended live. Run builds them."
    >
      <div class="ed-wrap">
        <Pick label="Stage" value={String(stage.value)} options={names} testid="family-stage" onChange={(to) => (stage.value = Number(to))} />
        <NumberBox label="size" unit="± m" value={size.value} min={0.01} max={20} step={0.1} testid="family-size" onChange={(to) => (size.value = to ?? 0.4)} />
        <NumberBox label="angle" unit="± °" value={degrees.value} min={1} max={360} step={15} testid="family-angle" onChange={(to) => (degrees.value = to ?? 60)} />
        <NumberBox label="density" unit="a side" value={density.value} min={2} max={15} step={1} testid="family-density" onChange={(to) => (density.value = Math.round(to ?? 3))} />
        <Pick label="Line along" value={along.value} options={{ z: "z", x: "x" }} onChange={(to) => (along.value = to as "x" | "z")} />
      </div>
      <div class="ed-buttons">
        <button type="button" data-testid="family-line" onClick={() => put(lineAxes(stage.value, along.value, size.value, density.value), "family: line")}>Line</button>
        <button type="button" data-testid="family-grid" onClick={() => put(gridAxes(stage.value, size.value, density.value), "family: grid")}>Grid</button>
        <button type="button" data-testid="family-circle" title={`Around ${names[String(around)] ?? "the stage before"}`}
          onClick={() => put(circleAxes(stage.value, around, degrees.value, density.value), "family: circle")}>Circle</button>
        <button type="button" data-testid="family-none" disabled={members === 0} onClick={() => put([], "no family")}>None</button>
      </div>
      <Switch
        label="Two leaps, to be played with the keys" on={two !== null} testid="family-two-leaps" disabled={two === null && leaps !== 2}
        note={leaps === 2 ? "" : "needs a clip of two leaps: keep their frames under Body & place"}
        onChange={(on) => changeSettings({ two_leaps_m: on ? size.value : undefined, family: undefined }, "two leaps")}
      />
      {two !== null && (
        <NumberBox label="each goes as far as" unit="m" value={two} min={0.05} max={10} step={0.1} onChange={(to) => to && changeSettings({ two_leaps_m: to }, "reach of leaps")} />
      )}
      {axes.map((axis, i) => (
        <fieldset class="ed-axis" key={i} data-testid={`family-axis-${i}`}>
          <legend>
            <input
              type="text" value={axis.name} aria-label={`Name of axis ${i + 1}`}
              onChange={(event) => {
                const others = axes.filter((_, k) => k !== i);
                change(i, { name: freeAxisName(others, event.currentTarget.value.trim() || "axis") });
              }}
            />
            <button type="button" class="ed-reset" aria-label={`Remove axis ${axis.name}`} onClick={() => put(axes.filter((_, k) => k !== i), `without axis ${axis.name}`)}>×</button>
          </legend>
          <div class="ed-wrap">
            <Pick label="stage" value={String(axis.stage)} options={{ ...names, [axis.stage]: names[String(axis.stage)] ?? String(axis.stage) }} onChange={(to) => change(i, { stage: Number(to) })} />
            <Pick
              label="turns about" value={axis.around_stage == null ? "" : String(axis.around_stage)}
              options={{ "": "its own middle", ...names }}
              onChange={(to) => change(i, { around_stage: to === "" ? undefined : Number(to) })}
            />
          </div>
          <small>A coordinate of 1 moves and turns it by</small>
          <div class="ed-triple" role="group" aria-label={`Axis ${axis.name}: a coordinate of 1 moves by`}>
            {["x", "y", "z"].map((letter, k) => (
              <label key={letter}>
                <span>{letter}</span>
                <NumberBox
                  bare label={`Axis ${axis.name}: a coordinate of 1 moves along ${letter} by, m`} value={axis.by_m?.[k] ?? 0} step={0.1}
                  onChange={(to) => change(i, { by_m: [0, 1, 2].map((m) => (m === k ? (to ?? 0) : (axis.by_m?.[m] ?? 0))) as [number, number, number] })}
                />
              </label>
            ))}
            <label>
              <span>°</span>
              <NumberBox bare label={`Axis ${axis.name}: a coordinate of 1 turns by, degrees`} value={axis.turn_deg ?? 0} step={1} onChange={(to) => change(i, { turn_deg: to || undefined })} />
            </label>
          </div>
          <label class="ed-field">
            <span>values</span>
            <input
              type="text" value={axis.values.join(", ")} aria-label={`Values of axis ${axis.name}, rising`}
              onChange={(event) => {
                const values = valuesFrom(event.currentTarget.value);
                if (values) change(i, { values });
                else event.currentTarget.value = axis.values.join(", ");
              }}
            />
          </label>
        </fieldset>
      ))}
      {two === null && (
        <button type="button" class="ed-link" data-testid="family-add-axis"
          onClick={() => put([...axes, { name: freeAxisName(axes, "axis"), stage: stage.value, values: spread(size.value, density.value), by_m: [0, 0, 1] }], "one more axis")}>
          Add an axis
        </button>
      )}
      <p class="ed-about" data-testid="family-members">{members ? `${members} leaps` : "One leap; no family."}</p>
    </Section>
  );
}
