// Filter: which laws hold, how softly, which joints give, which constraints only sketch the way.

import { useSignal } from "@preact/signals";
import { frameCount, openStep, playRange, recipe } from "../store";
import { contentOf, wishesOf } from "../recipe";
import { BodyDiagram, placeOf } from "./body_diagram";
import { Choice, NumberBox, Section, Slider, Switch } from "./controls";
import { body, changeSettings, schemaDefault, settingOf, words } from "./editing";
import { RecruitEditor } from "./recruit_editor";
import { ComPoints } from "./com_points";

const ROUNDS: Record<string, string> = {
  "1K": "constraints only", "2D+1K": "physics, then constraints", "3D+1K": "more of it",
  "1K+2D+1K": "constraints or hints first", "1K+3D+1K": "the same, longer",
};

export function FilterEditor() {
  const rounds: string = settingOf("passes") ?? "1K";
  const dynamic = rounds.toUpperCase().includes("D");
  return (
    <>
      <label class="ed-field" title="K: what constraints ask. D: what physics asks. One after the other.">
        <span>Rounds</span>
        <input
          type="text" list="ed-rounds" value={rounds} data-testid="filter-passes" aria-label="Rounds" spellcheck={false}
          pattern="\s*[0-9]*[KkDd](\s*\+\s*[0-9]*[KkDd])*\s*"
          onChange={(event) => {
            const box = event.currentTarget;
            if (box.value.trim() && box.checkValidity()) changeSettings({ passes: box.value.trim() }, `rounds ${box.value.trim()}`);
            else box.value = rounds;
          }}
        />
        <datalist id="ed-rounds">
          {Object.entries(ROUNDS).map(([key, text]) => <option key={key} value={key}>{text}</option>)}
        </datalist>
      </label>
      {!dynamic && (
        <p class="ed-about">
          Physics only counts in rounds with a D.{" "}
          <button type="button" class="ed-link" data-testid="filter-physics" onClick={() => changeSettings({ passes: "2D+1K" }, "physics rounds")}>
            Add some
          </button>
        </p>
      )}
      <Section title="Physics" testid="filter-laws">
        <Law law="balance" label="Balance" noise="balance_noise" />
        <Law law="flight" label="Flight" noise="flight_noise" />
        <Law law="torque" label="Strength" noise="torque_noise" />
        <Switch
          label="What touches stays where it is" on={settingOf("keep_contacts") ?? true} testid="filter-keep-contacts"
          onChange={(on) => changeSettings({ keep_contacts: on }, "hold what touches")}
        />
      </Section>
      <Hints />
      <Mobility />
      <LeftOut />
      <RecruitEditor />
      <ComPoints />
    </>
  );
}

const SOFTEST = -4;
const HARDEST = -16;
/** A variance on a slider: at its left end zero, then powers of ten. */
export const softnessOf = (variance: number): number =>
  variance > 0 ? Math.min(SOFTEST, Math.max(HARDEST, Math.log10(variance))) : HARDEST - 0.5;
export const varianceOf = (softness: number): number =>
  softness < HARDEST ? 0 : Number((10 ** softness).toExponential(1));
const softWords = (variance: number): string => (variance > 0 ? variance.toExponential(0) : "hard");

function Softness({ label, value, onInput, testid, title }: {
  label: string; value: number; onInput(value: number, merge: string): void; testid?: string; title?: string;
}) {
  return (
    <Slider
      label={label} min={HARDEST - 0.5} max={SOFTEST} step={0.5} value={softnessOf(value)} shown={softWords(value)}
      testid={testid} title={title} changed={value > 0} onReset={() => onInput(0, "")}
      onInput={(at, merge) => onInput(varianceOf(at), merge)}
    />
  );
}

/** One law: nowhere, everywhere or in some stretches, and how softly. */
function Law({ law, label, noise }: { law: string; label: string; noise: string }) {
  const now: boolean | [number, number][] = settingOf(law) ?? false;
  const stretches = Array.isArray(now) ? now : [];
  const here = (): [number, number] => {
    const [first, last] = playRange.value ?? [0, Math.max(0, frameCount.value - 1)];
    return [Math.round(first), Math.round(last)];
  };
  const put = (to: unknown) => changeSettings({ [law]: to }, `${label.toLowerCase()}`);
  const variance: number = settingOf(noise) ?? 0;
  return (
    <div class="ed-law">
      <Choice
        label={label} value={Array.isArray(now) ? "some" : now ? "on" : "off"} testid={`filter-${law}`}
        options={{ off: "off", on: "on", some: "in part" }}
        titles={{ some: "Only in the frames that playback keeps to, or in others" }}
        onChange={(to) => put(to === "some" ? [here()] : to === "on")}
      />
      {stretches.map(([first, last], i) => (
        <div class="ed-stretch" key={i}>
          <NumberBox bare label={`${label}: first frame`} value={first} step={1} min={0}
            onChange={(to) => to != null && put(stretches.map((each, k) => (k === i ? [to, Math.max(to, last)] : each)))} />
          –
          <NumberBox bare label={`${label}: last frame`} value={last} step={1} min={first}
            onChange={(to) => to != null && put(stretches.map((each, k) => (k === i ? [first, to] : each)))} />
          <button type="button" class="ed-reset" aria-label={`${label}: without frames ${first} to ${last}`}
            onClick={() => put(stretches.length > 1 ? stretches.filter((_, k) => k !== i) : false)}>×</button>
        </div>
      ))}
      {Array.isArray(now) && (
        <button type="button" class="ed-link" onClick={() => put([...stretches, here()])}>Add the frames that are played</button>
      )}
      {now !== false && (
        <Softness
          label="softness" value={variance} testid={`filter-${noise}`}
          onInput={(to, merge) => changeSettings({ [noise]: to || undefined }, `softness of ${label.toLowerCase()}`, merge)}
        />
      )}
    </div>
  );
}

/** Constraints of the step: hard or soft, and whether they only sketch the way. */
function Hints() {
  const now = recipe.value;
  const wishes = now ? wishesOf(now, openStep.value) : [];
  const hints: string[] = settingOf("hints") ?? [];
  const noise: Record<string, number> = settingOf("noise") ?? {};
  const rounds: string = settingOf("passes") ?? "1K";
  const mark = (name: string, on: boolean) => {
    const left = on ? [...hints, name] : hints.filter((each) => each !== name);
    // Hints count in kinematic rounds before the first dynamic one: there has to be one.
    const needs = on && !/^\s*\d*K\s*\+.*D/i.test(rounds);
    changeSettings(
      { hints: left.length ? left : undefined, ...(needs ? { passes: "1K+2D+1K" } : {}) },
      on ? `${name} as a hint` : `${name} no hint`,
    );
  };
  const soften = (name: string, to: number, merge: string) => {
    const { [name]: _, ...others } = noise;
    const left = to > 0 ? { ...others, [name]: to } : others;
    changeSettings({ noise: Object.keys(left).length ? left : undefined }, `softness of ${name}`, merge);
  };
  return (
    <Section
      title="Constraints: softness and hints" testid="filter-hints"
      about="A hint is a rough pose by hand that only sketches the way: drag a joint in the view, and mark what comes of it. Physics then finds its own."
    >
      {!wishes.length && <p class="ed-about">No constraints yet.</p>}
      {wishes.map(({ values, index }) => (
        <div class="ed-wish" key={index}>
          <div class="ed-wish-head">
            <b>{values.name}</b>
            <Switch
              label="only a hint" name={`${values.name}: only a hint`} on={hints.includes(values.name)} testid={`hint-${values.name}`}
              onChange={(on) => mark(values.name, on)}
            />
          </div>
          <Softness
            label="softness" value={noise[values.name] ?? 0} testid={`softness-${values.name}`}
            onInput={(to, merge) => soften(values.name, to, merge)}
          />
        </div>
      ))}
    </Section>
  );
}

const HELD = -2.1;
const mobilityWords = (value: number): string =>
  value === 0 ? "held" : value >= 10 ? value.toFixed(0) : value >= 0.1 ? value.toFixed(1) : value.toFixed(2);

/** How far each joint may deviate: the square of this multiplies its process noise. */
function Mobility() {
  const figure = body.value?.message;
  const all = useSignal(false);
  if (!figure) return null;
  const mobility: Record<string, number> = settingOf("mobility") ?? {};
  const roles = Object.keys(figure.roles);
  const listed = all.value ? figure.joint_names.slice() : roles;
  const names = ["translation", ...new Set([...listed, ...Object.keys(mobility).filter((n) => n !== "translation")])];
  const put = (name: string, to: number | undefined, merge = "") => {
    const { [name]: _, ...others } = mobility;
    const left = to === undefined ? others : { ...others, [name]: to };
    changeSettings({ mobility: Object.keys(left).length ? left : undefined }, `noise of ${words(name)}`, merge);
  };
  const base: number = settingOf("process_variance") ?? 1e-10;
  return (
    <Section
      title="Noise by joint" testid="filter-mobility" closed={!Object.keys(mobility).length}
      about="Joints with more of it give way more readily, against the others; 1 is the usual."
    >
      <Slider
        label="all" min={-14} max={-4} step={0.5} value={Math.log10(base)} shown={base.toExponential(0)}
        changed={base !== schemaDefault("filter", "process_variance")} testid="filter-process-variance"
        title="Process variance of every coordinate; counts against soft constraints"
        onReset={() => changeSettings({ process_variance: undefined }, "process noise")}
        onInput={(to, merge) => changeSettings({ process_variance: Number((10 ** to).toExponential(1)) }, "process noise", merge)}
      />
      <div class="ed-mobility">
        {names.map((name) => {
          const value = mobility[name] ?? 1;
          return (
            <Slider
              compact key={name} label={name === "translation" ? "way of the root" : words(name)}
              min={HELD} max={2} step={0.1} value={value > 0 ? Math.log10(value) : HELD}
              shown={mobilityWords(value)} changed={name in mobility} testid={`mobility-${name}`}
              onReset={() => put(name, undefined)}
              onInput={(to, merge) => put(name, to <= HELD + 0.01 ? 0 : Number((10 ** to).toPrecision(2)), merge)}
            />
          );
        })}
      </div>
      <Switch label="By the names of the file" on={all.value} onChange={(on) => (all.value = on)} />
    </Section>
  );
}

/** Joints that physics may not move. */
function LeftOut() {
  const figure = body.value?.message;
  const now = recipe.value;
  if (!figure || !now) return null;
  const left: string[] = settingOf("left_out") ?? [];
  const roles = Object.keys(figure.roles).filter(placeOf);
  const changed = contentOf(now, openStep.value).settings?.left_out !== undefined;
  return (
    <Section title="Joints that physics moves" closed about="Lit joints move in dynamic rounds.">
      <BodyDiagram
        label="Joints that dynamic rounds move" testid="moves" scale={0.75}
        spots={roles.map((name) => ({ name, on: !left.includes(name) && !left.includes(figure.roles[name]!) }))}
        onToggle={(name) => {
          const aliases = [name, figure.roles[name]!];
          const kept = left.filter((each) => !aliases.includes(each));
          changeSettings({ left_out: kept.length < left.length ? kept : [...left, name] }, `physics and ${words(name)}`);
        }}
      />
      {changed && (
        <button type="button" class="ed-link" onClick={() => changeSettings({ left_out: undefined }, "joints that physics moves")}>
          As usual
        </button>
      )}
    </Section>
  );
}
