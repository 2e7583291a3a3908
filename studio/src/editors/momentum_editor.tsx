// Leaps: where each stage on the ground goes, how it is turned, how high each flight gets.

import { edit, frame, openStep, physics, rate, recipe, selection, type Recipe } from "../store";
import { addWish, changeWish, freeName, removeWish, wishesOf, type Vec3, type Wish } from "../recipe";
import type { Stage } from "../messages";
import { NumberBox, Pick, Section, Slider } from "./controls";
import { changeSettings, recipeDrag, round, settingOf } from "./editing";
import { BlendPad } from "./blend_pad";
import { FamilySetup } from "./family_setup";
import { LeapController } from "./leap_controller";
import { spinWords, TurningDial } from "./turning_dial";

/** As the result has them, else as captured; an edit never changes how many there are. */
export function stagesNow(): readonly Stage[] {
  const captured = physics.value.get("before")?.message.stages ?? [];
  const edited = physics.value.get("after")?.message.stages ?? [];
  return edited.length === captured.length || !captured.length ? edited : captured;
}

export const isFlight = (stage: Stage): boolean => stage.name === "flight";

/** A constraint about the n-th stage of its kind; −1 in a recipe is the last. */
function wishAbout(now: Recipe, kind: string, key: string, index: number, count: number): Wish | null {
  return wishesOf(now, openStep.value).find((wish) => {
    const at = wish.values[key] ?? 0;
    return wish.kind === kind && (at === index || at === index - count);
  }) ?? null;
}

/** The recipe with some values of such a constraint changed; it is made where there is none. */
function withStage(now: Recipe, kind: string, key: string, index: number, count: number, changed: Record<string, any>, name: string): Recipe {
  const known = wishAbout(now, kind, key, index, count);
  if (known) return changeWish(now, openStep.value, known.index, changed);
  return addWish(now, openStep.value, kind, { name: freeName(now, openStep.value, name), [key]: index, ...changed });
}

export function MomentumEditor() {
  const stages = stagesNow();
  const grounds = stages.filter((stage) => !isFlight(stage)).length;
  const flights = stages.length - grounds;
  let ground = 0;
  let flight = 0;
  return (
    <>
      <Section title="Stages" testid="momentum-stages">
        {!stages.length && <p class="ed-about">No leap found yet: a clip of a jump has stages on the ground and in the air.</p>}
        <ol class="ed-stages">
          {stages.map((stage, i) => (
            <li key={i} class={selection.value?.kind === "stage" && selection.value.index === i ? "ed-on" : ""}>
              <button
                type="button" class="ed-stage-name" aria-pressed={selection.value?.kind === "stage" && selection.value.index === i}
                onClick={() => {
                  selection.value = { kind: "stage", index: i };
                  frame.value = stage.first;
                }}
              >
                <span>{isFlight(stage) ? "↑ In the air" : "↓ On the ground"}</span>
                <small>{stage.first}–{stage.last}, {((stage.last - stage.first + 1) / rate.value).toFixed(2)} s</small>
              </button>
              {isFlight(stage) ? <Flight index={flight++} count={flights} /> : <Ground index={ground++} count={grounds} />}
            </li>
          ))}
        </ol>
        <Pick
          label="Things fall" value={settingOf("gravity") ?? "nature"} testid="momentum-gravity"
          options={{ nature: "as in nature", captured: "as captured" }}
          onChange={(to) => changeSettings({ gravity: to === "nature" ? undefined : to }, "gravity")}
        />
      </Section>
      <FamilySetup grounds={grounds} leaps={flights} />
      <BlendPad />
      <LeapController />
    </>
  );
}

function Ground({ index, count }: { index: number; count: number }) {
  const now = recipe.value;
  if (!now) return null;
  const wish = wishAbout(now, "move_stage", "stage", index, count);
  const by: Vec3 = wish?.values.by_m ?? [0, 0, 0];
  const turn: number = wish?.values.turn_deg ?? 0;
  const name = `stage ${index + 1}`;
  const changed = (values: Record<string, any>, from = recipe.peek()!) =>
    withStage(from, "move_stage", "stage", index, count, values, name);
  // A drag goes on from the recipe that it began with.
  let gesture: ReturnType<typeof recipeDrag> | null = null;
  const move = (axis: number, to: number | undefined) => {
    const moved = by.map((v, i) => (i === axis ? (to ?? 0) : v)) as Vec3;
    edit(changed({ by_m: moved }), `move ${name}`);
  };
  return (
    <div class="ed-ground">
      <TurningDial
        degrees={turn} label={`Turn of ${name}`} testid={`stage-${index}-dial`}
        onDrag={(degrees) => {
          gesture ??= recipeDrag(`turn ${name}`, false);
          gesture.show(changed({ turn_deg: degrees }, now));
        }}
        onEnd={(degrees, kept) => {
          if (kept) (gesture ??= recipeDrag(`turn ${name}`, false)).show(changed({ turn_deg: degrees }, now));
          gesture?.end(kept);
          gesture = null;
        }}
        onStep={(degrees) => edit(changed({ turn_deg: degrees }), `turn ${name}`, `turn ${name}`)}
      />
      <div class="ed-grid">
        <div class="ed-triple" role="group" aria-label={`${name}: moved by, metres`}>
          {["x", "y", "z"].map((axis, i) => (
            <label key={axis}>
              <span>{axis}</span>
              <NumberBox bare label={`${name}: moved along ${axis}, m`} value={round(by[i]!, 3)} step={0.05} testid={`stage-${index}-by-${axis}`} onChange={(to) => move(i, to)} />
            </label>
          ))}
          <small>m</small>
        </div>
        <div class="ed-turn">
          <NumberBox
            label="turn" unit="°" value={round(turn, 1)} step={15} testid={`stage-${index}-turn`}
            onChange={(to) => edit(changed({ turn_deg: to ?? 0 }), `turn ${name}`)}
          />
          <button type="button" title="One spin to the left" aria-label={`${name}: one spin to the left`} data-testid={`stage-${index}-spin-left`}
            onClick={() => edit(changed({ turn_deg: round(turn + 360, 1) }), `spin ${name}`)}>↺</button>
          <button type="button" title="One spin to the right" aria-label={`${name}: one spin to the right`} data-testid={`stage-${index}-spin-right`}
            onClick={() => edit(changed({ turn_deg: round(turn - 360, 1) }), `spin ${name}`)}>↻</button>
        </div>
        <div class="ed-row">
          <small>{spinWords(turn)}</small>
          {wish && (
            <button type="button" class="ed-link" onClick={() => edit(removeWish(now, openStep.value, wish.index), `${name} as captured`)}>as captured</button>
          )}
        </div>
      </div>
    </div>
  );
}

function Flight({ index, count }: { index: number; count: number }) {
  const now = recipe.value;
  if (!now) return null;
  const wish = wishAbout(now, "flight_height", "flight", index, count);
  const metres = wish?.values.rise_m !== undefined;
  const value: number = (metres ? wish?.values.rise_m : wish?.values.scale) ?? 1;
  const name = `flight ${index + 1}`;
  const put = (changed: Record<string, any>, label: string, merge = "") => {
    const whole = wish ? changed : { scale: 1, ...changed };
    edit(withStage(recipe.peek()!, "flight_height", "flight", index, count, whole, name), label, merge);
  };
  const rise = (to: number) => (metres ? { rise_m: to } : { scale: to });
  return (
    <div class="ed-flight">
      <Slider
        label="height" min={metres ? 0.05 : 0.3} max={metres ? 1.5 : 3} step={metres ? 0.01 : 0.05} value={value}
        shown={metres ? `${value.toFixed(2)} m` : `×${value.toFixed(2)}`} testid={`flight-${index}-height-slider`}
        title="How high the centre of mass gets over where it took off, against the capture"
        changed={wish !== null} onReset={() => wish && edit(removeWish(now, openStep.value, wish.index), `${name} as captured`)}
        onInput={(to, merge) => put(rise(to), `height of ${name}`, merge)}
      />
      <div class="ed-row">
        <NumberBox bare label={`Height of ${name}`} value={round(value, 3)} min={0.01} max={100} step={0.05}
          testid={`flight-${index}-height`} onChange={(to) => to !== undefined && put(rise(to), `height of ${name}`)} />
        <Pick bare label={`Unit of the height of ${name}`} value={metres ? "m" : "x"} options={{ x: "× captured", m: "m" }}
          testid={`flight-${index}-unit`}
          onChange={(to) => put(to === "m" ? { rise_m: 0.3, scale: undefined } : { scale: 1, rise_m: undefined }, `height of ${name}`)} />
        <Pick bare label={`What makes ${name} higher`} value={wish?.values.by ?? "time"} testid={`flight-${index}-by`}
          options={{ time: "flies longer", gravity: "falls slower or faster" }}
          onChange={(by) => put({ by: by === "time" ? undefined : by }, `${name} by ${by}`)} />
      </div>
    </div>
  );
}
