// Retarget: onto which body, and how much of physics.

import { edit, recipe, welcome } from "../store";
import { withCharacter } from "../recipe";
import { accepted } from "../panels/dropped";
import { FilePick } from "../panels/file_pick";
import { ontoBody, retargetWanted } from "../panels/method_change";
import { NumberBox, Section, Slider, Switch } from "./controls";
import { changeSettings, settingOf } from "./editing";

/** Which body; nothing else is asked before it is known. */
export function BodyWanted() {
  return (
    <>
      <p class="ed-about">Onto which body should the motion go? A robot, a skeleton, or the body of another clip.</p>
      <TargetBody />
      <div class="ed-buttons">
        <button type="button" data-testid="retarget-cancel" onClick={() => (retargetWanted.value = false)}>Cancel</button>
      </div>
    </>
  );
}

function TargetBody() {
  const files = welcome.value?.files ?? [];
  const of = (what: string): string[] => files.filter((file) => file.what === what).map((file) => file.path);
  return (
    <FilePick
      label="Onto" value={recipe.value?.character?.to} testid="retarget-to" tip="A robot, a skeleton or a motion file of another body"
      groups={{ Bodies: of("body"), "Bodies of clips": of("clip") }} accept={accepted.body()} onChange={(to) => to && ontoBody(to)}
    />
  );
}

export function RetargetEditor() {
  const now = recipe.value;
  if (!now) return null;
  const written = (welcome.value?.files ?? []).map((file) => file.path).filter((path) => /\.ya?ml$/i.test(path));
  return (
    <>
      <TargetBody />
      <FilePick
        label="Mapping" value={now.character?.mapping} testid="retarget-mapping" none="as is found"
        tip="Only where joints should follow others than what is found" groups={{ Files: written }} accept={accepted.mapping()}
        onChange={(mapping) => edit(withCharacter(recipe.peek()!, { mapping }), "choose the mapping")}
      />
      <Section title="What is kept">
        <Switch label="What touches stays in place" on={settingOf("feet") ?? true} testid="retarget-feet" onChange={(on) => changeSettings({ feet: on }, "hold contacts")} />
        <Switch label="Balance and flight" on={settingOf("balance") ?? true} testid="retarget-balance" onChange={(on) => changeSettings({ balance: on }, "balance")} />
        <Switch label="Strength of joints" on={settingOf("torque") ?? true} testid="retarget-torque" disabled={settingOf("balance") === false} onChange={(on) => changeSettings({ torque: on }, "strength")} />
        <Switch label="Correct it first" note="noisy captures" on={settingOf("correct") ?? false} testid="retarget-correct" onChange={(on) => changeSettings({ correct: on }, "correct first")} />
        <Slider
          label="rounds" min={1} max={30} step={1} value={settingOf("rounds") ?? 12} testid="retarget-rounds" changed={(settingOf("rounds") ?? 12) !== 12}
          onReset={() => changeSettings({ rounds: undefined }, "rounds")} onInput={(rounds, merge) => changeSettings({ rounds }, "rounds", merge)}
        />
        <NumberBox label="length of its way" unit="×" placeholder="as its legs are" value={settingOf("scale")} min={0.01} max={100} step={0.05} testid="retarget-scale"
          onChange={(scale) => changeSettings({ scale }, "scale")} />
        <NumberBox label="fastest joint" unit="rad/s" placeholder="as the model says" value={settingOf("fastest_rad_s")} min={0.1} step={1} testid="retarget-fastest"
          onChange={(fastest) => changeSettings({ fastest_rad_s: fastest }, "fastest joint")} />
      </Section>
    </>
  );
}
