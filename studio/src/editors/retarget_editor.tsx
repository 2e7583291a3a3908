// Retarget: onto which body, and how much of physics.

import { edit, recipe, welcome } from "../store";
import { FileChooser } from "./file_chooser";
import { NumberBox, Section, Slider, Switch } from "./controls";
import { changeSettings, settingOf } from "./editing";

export function RetargetEditor() {
  const now = recipe.value;
  if (!now) return null;
  const character: Record<string, any> = now.character ?? {};
  const put = (key: string, value: string) => {
    const { [key]: _, ...others } = character;
    const left = value ? { ...others, [key]: value } : others;
    const { character: __, ...rest } = now;
    edit(Object.keys(left).length ? { ...rest, character: left } : rest, key === "to" ? "choose the body" : "choose the mapping");
  };
  const files = welcome.value?.files ?? [];
  const bodies = files.filter((file) => file.what === "body" || file.what === "clip");
  return (
    <>
      <FileChooser
        label="Onto" value={character.to ?? ""} testid="retarget-to" title="A robot, a skeleton or a motion file of another body"
        files={bodies.sort((a, b) => a.what.localeCompare(b.what) || a.path.localeCompare(b.path)).map((file) => file.path)}
        onChange={(to) => put("to", to)}
      />
      <FileChooser
        label="Mapping" value={character.mapping ?? ""} testid="retarget-mapping" title="Only where joints should follow others than what is found"
        files={files.filter((file) => /\.ya?ml$/.test(file.path)).map((file) => file.path)} onChange={(to) => put("mapping", to)}
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
        <NumberBox label="goes so many times as far" placeholder="as its legs are" value={settingOf("scale")} min={0.01} max={100} step={0.05} testid="retarget-scale"
          onChange={(scale) => changeSettings({ scale }, "scale")} />
        <NumberBox label="fastest joint" unit="rad/s" placeholder="as the model says" value={settingOf("fastest_rad_s")} min={0.1} step={1} testid="retarget-fastest"
          onChange={(fastest) => changeSettings({ fastest_rad_s: fastest }, "fastest joint")} />
      </Section>
    </>
  );
}
