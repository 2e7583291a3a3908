// Which joints help the selected constraint: a chain, or joints one by one.

import { useSignal } from "@preact/signals";
import type { Figure } from "../messages";
import { edit, frameCount, notice, openStep, rate, recipe } from "../store";
import { changeWish, methodOf, type Wish } from "../recipe";
import { BodyDiagram } from "./body_diagram";
import { Choice, Pick, Section, Switch } from "./controls";
import { body, selectedWish, settingOf, wishHas, words } from "./editing";
import { withRecruit } from "./recruit_edit";
import { asNames, carryingRoles, chainOf, ownJoint, recruitsOf, type Recruits } from "./recruits";

export function RecruitEditor() {
  const wish = selectedWish.value;
  const figure = body.value?.message;
  if (!figure) return null;
  if (!wish || !wishHas(wish.kind, "recruit")) {
    return (
      <Section title="Which joints help" closed>
        <p class="ed-about">Select a constraint to choose the joints that may move for it.</p>
      </Section>
    );
  }
  return <Recruiting key={`${openStep.value} ${wish.index}`} wish={wish} figure={figure} />;
}

function Recruiting({ wish, figure }: { wish: Wish; figure: Figure }) {
  const all = useSignal(false);
  const now = recruitsOf(figure, wish.kind, wish.values);
  const chain = chainOf(figure, ownJoint(figure, wish.values));
  const mode = wish.values.recruit?.joints ? "joints" : wish.values.recruit?.up_to ? "up_to" : "all";

  const put = (recruit: Record<string, any> | undefined, label: string) => {
    if (!recipe.value) return;
    const found = withRecruit(recipe.value, openStep.value, wish.index, recruit, figure, frameCount.value, rate.value);
    const layered = methodOf(recipe.value, openStep.value) === "deform" && settingOf("strategy") !== "weights";
    edit(layered ? found.recipe : changeWish(recipe.value, openStep.value, wish.index, { recruit }), label);
    if (layered && found.down)
      notice(`“${wish.values.name}” went down to layer ${found.down.layer}: “${found.down.to}” moves joints that carry it and do not help it.`);
  };
  const list = (changed: Recruits, label: string) => {
    const joints = asNames(figure, changed);
    if (joints.length) put({ joints }, label);
    else notice("At least one joint has to help.");
  };
  const toggle = (joint: number) => {
    const joints = new Set(now.joints);
    if (!joints.delete(joint)) joints.add(joint);
    list({ ...now, joints }, `joints for ${wish.values.name}`);
  };
  const roleOf = new Map(Object.entries(figure.roles).map(([role, joint]) => [figure.joint_names.indexOf(joint), role]));
  const carrying = carryingRoles(figure);
  const rows = figure.joint_names.map((_, joint) => joint)
    .filter((joint) => all.value || carrying.has(joint) || now.joints.has(joint));
  const names = Object.fromEntries(chain.map((joint) => [
    joint === 0 ? "root" : figure.joint_names[joint]!,
    joint === 0 ? "the root, and its way" : words(roleOf.get(joint) ?? figure.joint_names[joint]!),
  ]));
  const top = wish.values.recruit?.up_to ?? "root";

  return (
    <Section title={`Which joints help “${wish.values.name ?? wish.kind}”`} testid="recruit-editor">
      <Choice
        label="Help" hidden value={mode} testid="recruit-mode"
        options={{ all: "As usual", ...(chain.length ? { up_to: "Up to" } : {}), joints: "Only these" }}
        titles={{
          all: "The joint itself and all that carry it; for the centre of mass, every joint with weight",
          up_to: "A chain, from the constraint's own joint up to another", joints: "Joints one by one",
        }}
        onChange={(to) => {
          if (to === "all") put(undefined, `all joints for ${wish.values.name}`);
          else if (to === "up_to") {
            // The limb alone, where it is one.
            const upTo = (roles: RegExp) => chain.find((joint) => roles.test(roleOf.get(joint) ?? ""));
            const wanted = upTo(/_collar$/) ?? upTo(/_(shoulder|hip)$/) ?? upTo(/^(chest|spine)$/) ?? 0;
            put({ up_to: wanted === 0 ? "root" : figure.joint_names[wanted] }, `chain for ${wish.values.name}`);
          } else list(now, `joints for ${wish.values.name}`);
        }}
      />
      {mode === "up_to" && (
        <Pick
          label="Up to" testid="recruit-up-to" options={names}
          value={names[top] !== undefined ? top : (figure.roles[top] ?? top)}
          onChange={(to) => put({ up_to: to }, `chain for ${wish.values.name}`)}
        />
      )}
      <div class="ed-side">
        <BodyDiagram
          label="Joints that help" testid="recruit-body" scale={0.75}
          spots={[...roleOf].map(([joint, name]) => ({ name, on: now.joints.has(joint) }))}
          onToggle={(role) => toggle(figure.joint_names.indexOf(figure.roles[role]!))}
        />
        <ul class="ed-tree" aria-label="Joints">
          <li>
            <label>
              <input
                type="checkbox" checked={now.translation} data-testid="recruit-translation"
                onChange={() => list({ ...now, translation: !now.translation }, `joints for ${wish.values.name}`)}
              />
              way of the root
            </label>
          </li>
          {rows.map((joint) => (
            <li key={joint} style={{ paddingLeft: Math.min(9, chainOf(figure, joint).length - 1) * 7 }}>
              <label title={figure.joint_names[joint]}>
                <input
                  type="checkbox" checked={now.joints.has(joint)} onChange={() => toggle(joint)}
                  data-testid={`recruit-${figure.joint_names[joint]}`}
                />
                {words(roleOf.get(joint) ?? figure.joint_names[joint]!)}
              </label>
            </li>
          ))}
        </ul>
      </div>
      {carrying.size < figure.joint_names.length && (
        <Switch label="Show fingers and other small joints" on={all.value} onChange={(on) => (all.value = on)} />
      )}
    </Section>
  );
}
