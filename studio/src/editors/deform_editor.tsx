// Deform: how constraints count against each other, and who helps them.

import { goals, openStep, recipe, selection } from "../store";
import { wishesOf, type Wish } from "../recipe";
import { ComPoints } from "./com_points";
import { Choice, Section } from "./controls";
import { changeSettings, settingOf } from "./editing";
import { RecruitEditor } from "./recruit_editor";

export function DeformEditor() {
  return (
    <>
      <Choice
        label="Constraints count" value={settingOf("strategy") ?? "priorities"} testid="deform-strategy"
        options={{ priorities: "by priority", weights: "by weight" }}
        titles={{
          priorities: "Layer by layer: a lesser one never disturbs a greater one",
          weights: "All in one layer; where they disagree, they meet in the middle",
        }}
        onChange={(to) => changeSettings({ strategy: to === "priorities" ? undefined : to }, `constraints by ${to}`)}
      />
      <Layers weighed={settingOf("strategy") === "weights"} />
      <RecruitEditor />
      <ComPoints />
    </>
  );
}

/** Who gives way to whom. */
function Layers({ weighed }: { weighed: boolean }) {
  const now = recipe.value;
  const wishes = now ? wishesOf(now, openStep.value) : [];
  const found = new Map<number, Wish[]>();
  for (const wish of wishes) {
    const layer = weighed ? 1 : (wish.values.priority ?? 1);
    found.set(layer, [...(found.get(layer) ?? []), wish]);
  }
  const met = new Map(
    (goals.value?.message.goals ?? []).filter((goal) => goal.step === openStep.value).map((goal) => [goal.index, goal]),
  );
  const chosen = selection.value;
  return (
    <Section title="Who gives way">
      {!wishes.length && <p class="ed-about">No constraints yet. Drag a hand, a foot or the head in the view.</p>}
      <ol class="ed-layers">
        {[...found].sort(([a], [b]) => a - b).map(([layer, each]) => (
          <li key={layer}>
            <b title={weighed ? "One layer" : `Layer ${layer}; 1 is the most important`}>{weighed ? "=" : layer}</b>
            {each.map((wish) => {
              const goal = met.get(wish.index);
              const on = chosen?.kind === "constraint" && chosen.step === openStep.value && chosen.index === wish.index;
              return (
                <button
                  type="button" key={wish.index} aria-pressed={on} class="ed-tag" title={goal?.worst || wish.kind}
                  onClick={() => (selection.value = { kind: "constraint", step: openStep.value, index: wish.index })}
                >
                  {goal?.met != null && <i class={goal.met ? "ed-met" : "ed-missed"} aria-label={goal.met ? "met" : "not met"} />}
                  {wish.values.name ?? wish.kind}
                  {weighed && <small> ×{wish.values.weight ?? 1}</small>}
                </button>
              );
            })}
          </li>
        ))}
      </ol>
    </Section>
  );
}
