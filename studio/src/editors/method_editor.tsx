// The editor of the open step's method, and below it all of its settings.

import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { edit, openStep, presetsOf, recipe, welcome } from "../store";
import { contentOf, methodName, METHODS, methodOf, withSettings } from "../recipe";
import { retargetWanted } from "../panels/method_change";
import { SchemaForm } from "../panels/schema_form";
import { CorrectEditor } from "./correct_editor";
import { DeformEditor } from "./deform_editor";
import { changeSettings, presetValues, settingsSchema, words } from "./editing";
import { FilterEditor } from "./filter_editor";
import { MomentumEditor } from "./momentum_editor";
import { PatternEditor } from "./pattern_editor";
import { BodyWanted, RetargetEditor } from "./retarget_editor";
import "./editors.css";

const EDITORS: Record<string, ComponentType> = {
  deform: DeformEditor, filter: FilterEditor, correct: CorrectEditor,
  momentum: MomentumEditor, pattern: PatternEditor, retarget: RetargetEditor,
};

export function MethodEditor() {
  const now = recipe.value;
  const wanted = retargetWanted.value && now !== null && methodOf(now, openStep.value) !== "retarget";
  const method = wanted ? "retarget" : now ? methodOf(now, openStep.value) : "";
  const Editor = EDITORS[method];
  if (!now || !method) return null;
  const [name, about] = (METHODS[method] ?? methodName(method)).split(": ");
  return (
    <section class="ed-method" aria-label={`${name} step`} data-testid="method-editor" data-method={method}>
      <header><b>{name}</b>{about && <span>{about}</span>}</header>
      {wanted ? <BodyWanted /> : (
        <>
          <Presets method={method} />
          {Editor && <Editor key={`${method} ${openStep.value}`} />}
          <AllSettings method={method} />
        </>
      )}
    </section>
  );
}

/** Presets of methods that do not keep the name of one (`correct` has its own buttons). */
function Presets({ method }: { method: string }) {
  const presets = Object.entries(presetsOf(method));
  if (!presets.length || settingsSchema(method).properties?.preset) return null;
  const now = recipe.value!;
  const settings = contentOf(now, openStep.value).settings ?? {};
  const ruled = new Set(presets.flatMap(([, values]) => Object.keys(values)));
  const cleared = Object.fromEntries([...ruled].map((key) => [key, undefined]));
  return (
    <div class="ed-presets" role="group" aria-label="Presets">
      {presets.map(([name, values]) => (
        <button
          type="button" key={name} data-testid={`method-preset-${name}`}
          aria-pressed={[...ruled].every((key) => JSON.stringify(settings[key]) === JSON.stringify(values[key]))}
          onClick={() => edit(withSettings(now, openStep.value, { ...cleared, ...values }), `preset ${words(name)}`)}
        >{words(name)}</button>
      ))}
    </div>
  );
}

function AllSettings({ method }: { method: string }) {
  const open = useSignal(false);
  const root = welcome.value?.recipe_schema;
  if (!root) return null;
  const settings = contentOf(recipe.value!, openStep.value).settings ?? {};
  return (
    <details class="ed-section ed-all" data-testid="all-settings" onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>All settings</summary>
      {open.value && <SchemaForm
        schema={settingsSchema(method)} root={root} value={settings} defaults={presetValues(method, settings)} testid="setting"
        words={{ preset: Object.keys(presetsOf(method)) }}
        onChange={(changed: Record<string, any>, merge: string) => changeSettings(changed, `${method}: ${Object.keys(changed).map(words).join(", ")}`, merge)}
      />}
    </details>
  );
}
