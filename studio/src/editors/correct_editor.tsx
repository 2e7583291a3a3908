// Correct: what kind of motion it is, what may touch, how hard to look for contacts.

import { edit, editContacts, documentState, openStep, physics, presetsOf, rate, recipe } from "../store";
import { contentOf, withContent, withSettings } from "../recipe";
import { BodyDiagram } from "./body_diagram";
import { Section, Slider, Switch } from "./controls";
import { changeSettings, schemaDefault, settingOf, words } from "./editing";

const SIDED = ["toe", "heel", "knee", "hand", "elbow", "shoulder", "thigh"];
const CANDIDATES = [
  ...SIDED.flatMap((part) => [`left_${part}`, `right_${part}`]), "pelvis", "chest", "head",
];
const ABOUT: Record<string, string> = {
  auto: "What touches is found from the motion", walk: "Feet only", run: "Feet only, harder pushes", dance: "Feet and hands", acrobatic: "Feet and hands, at 60 Hz",
  floor: "On the floor: knees, hands, trunk", roll: "Rolling: shoulders and trunk", seat: "Sitting: hips and thighs",
};
const STRETCHES_PER_S = 12;

export function CorrectEditor() {
  const now = recipe.value;
  if (!now) return null;
  const content = contentOf(now, openStep.value);
  const settings: Record<string, any> = content.settings ?? {};
  const presets = presetsOf("correct");
  const chosen = settings.preset ?? "auto";
  // Where nothing says what may touch, everything may; in the paper's own method, feet.
  const usual = settings.mode === "paper" ? CANDIDATES.filter((each) => /toe|heel/.test(each)) : CANDIDATES;
  const candidates: string[] = settingOf("candidates") ?? usual;
  const ruled = [...new Set(Object.values(presets).flatMap((values) => Object.keys(values)))];

  // What a preset rules is taken back, or it would not count.
  const take = (preset: string) => {
    const cleared = Object.fromEntries(ruled.map((key) => [key, undefined]));
    edit(withSettings(now, openStep.value, { ...cleared, preset }), `preset ${preset}`);
  };
  const toggle = (name: string) => {
    const left = candidates.includes(name) ? candidates.filter((each) => each !== name) : [...candidates, name];
    if (left.length) changeSettings({ candidates: left }, `${words(name)} may touch`);
  };
  return (
    <>
      <div class="ed-presets" role="group" aria-label="Kind of motion">
        {(Object.keys(presets).length ? Object.keys(presets) : Object.keys(ABOUT)).map((name) => (
          <button
            type="button" key={name} aria-pressed={name === chosen} title={ABOUT[name]}
            data-testid={`method-preset-${name}`} onClick={() => take(name)}
          >{name}</button>
        ))}
      </div>
      <Section title="What may touch" testid="correct-candidates">
        <BodyDiagram
          label="Parts that may touch" testid="candidate" onToggle={toggle}
          spots={CANDIDATES.map((name) => ({ name, on: candidates.includes(name) }))}
        />
        {settings.candidates !== undefined && (
          <button type="button" class="ed-link" onClick={() => changeSettings({ candidates: undefined }, "what may touch")}>
            As the preset has it
          </button>
        )}
      </Section>
      <Bars given={content.contacts} />
      <Section title="How contacts are looked for" testid="correct-search">
        <fieldset class="ed-plain" disabled={content.contacts != null}>
          <Diversity />
          <Slider
            label="samples" min={10} max={400} step={10} value={settingOf("samples") ?? 100} testid="correct-samples"
            title="Contact sequences that are tried; more take longer"
            changed={settings.samples !== undefined} onReset={() => changeSettings({ samples: undefined }, "samples")}
            onInput={(samples, merge) => changeSettings({ samples }, "samples", merge)}
          />
        </fieldset>
        <Switch
          label="Contacts may slide" on={settingOf("sliding") ?? true} testid="correct-sliding"
          onChange={(on) => changeSettings({ sliding: on }, "sliding contacts")}
        />
        <Switch
          label="Put a level clip on this ground" on={settingOf("drape") ?? false} testid="correct-drape"
          title="The clip was captured on level ground: every place is raised by what lies below it"
          onChange={(on) => changeSettings({ drape: on }, "drape over the ground")}
        />
      </Section>
    </>
  );
}

function Diversity() {
  const seconds = Math.max(1, documentState.value?.frames ?? 0) / rate.value;
  const own: number | null = settingOf("diversity") ?? null;
  const usual = Math.max(1, Math.round(STRETCHES_PER_S * seconds));
  return (
    <Slider
      label="diversity" min={1} max={Math.max(20, 2 * usual)} step={1} value={own ?? usual} testid="correct-diversity"
      shown={own === null ? `${usual} (usual)` : String(own)} changed={own !== schemaDefault("correct", "diversity")}
      title="How many stretches of one contact state the clip may have: fewer is calmer"
      onReset={() => changeSettings({ diversity: undefined }, "diversity")}
      onInput={(diversity, merge) => changeSettings({ diversity }, "diversity", merge)}
    />
  );
}

/** Contacts as the timeline has them, or to be found. */
function Bars({ given }: { given: string | undefined }) {
  const known = physics.value.get("after") ?? physics.value.get("before");
  const use = (on: boolean) => {
    const now = recipe.value;
    if (!now) return;
    if (on) editContacts(known?.message.touches ?? [], "contacts of the timeline");
    else edit(withContent(now, openStep.value, { ...contentOf(now, openStep.value), contacts: undefined }), "find contacts");
  };
  return (
    <Switch
      label="Use the bars of the timeline" on={given != null} disabled={given == null && !known} testid="correct-use-bars"
      note={given != null ? "as they are there" : "off: contacts are found"}
      title="On: what touches when is as the bars say. Off: it is looked for."
      onChange={use}
    />
  );
}
