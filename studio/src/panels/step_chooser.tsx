// The steps of the recipe: which one the panels are about, its method, one more, one less.

import { documentState, edit, notice, openStep, recipe, selection } from "../store";
import { contentOf, METHODS, methodOf, stepCount, wishesOf, withContent, withMethod, withoutStep, withStep } from "../recipe";
import { TAKEN } from "./constraint_kinds";
import { Icon } from "./icons";
import { Menu } from "./menu";

const short = (method: string): string => (METHODS[method] ?? method).split(":")[0]!;
const about = (method: string): string => {
  const words = (METHODS[method] ?? "").split(": ")[1] ?? "";
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Constraints that the new method takes too are kept. */
function changeMethod(method: string): void {
  const now = recipe.value;
  if (!now || methodOf(now, openStep.value) === method) return;
  const step = openStep.value;
  const all = wishesOf(now, step);
  const kept = all.filter((each) => TAKEN[method]?.includes(each.kind));
  const bare = withMethod(now, step, method);
  const constraints = kept.map(({ kind, values }) => ({ [kind]: values }));
  edit(withContent(bare, step, { ...contentOf(bare, step), constraints }), `method ${short(method).toLowerCase()}`);
  selection.value = null;
  const lost = all.length - kept.length;
  if (lost) notice(`${short(method)} does not take ${lost} of the constraints: they are left out. Undo brings them back.`);
}

function addStep(method: string): void {
  const now = recipe.value;
  if (!now) return;
  edit(withStep(now, method), `add step ${short(method).toLowerCase()}`);
  openStep.value = stepCount(now);
  selection.value = null;
}

function removeStep(): void {
  const now = recipe.value;
  if (!now) return;
  edit(withoutStep(now, openStep.value), `remove step ${openStep.value + 1}`);
  openStep.value = Math.max(0, openStep.value - 1);
  selection.value = null;
}

export function StepChooser() {
  const now = recipe.value;
  if (!now || !documentState.value) return null;
  const count = stepCount(now);
  return (
    <div class="pn-steps" role="group" aria-label="Steps of the recipe">
      {Array.from({ length: count }, (_, step) => {
        const method = methodOf(now, step);
        if (step !== openStep.value)
          return (
            <button key={step} type="button" class="pn-step" data-testid={`step-${step}`} aria-label={`Step ${step + 1}: ${short(method)}`}
              data-tip={`Step ${step + 1}: ${about(method)}`} onClick={() => {
                openStep.value = step;
                selection.value = null;
              }}>
              <span class="pn-step-number">{step + 1}</span>{short(method)}
            </button>
          );
        return (
          <span key={step} class="pn-step pn-step-open" data-testid={`step-${step}`} aria-current="step">
            <span class="pn-step-number">{step + 1}</span>
            <select aria-label={`Method of step ${step + 1}`} data-testid="method-select" data-tip={about(method)} value={method}
              onChange={(event) => changeMethod(event.currentTarget.value)}>
              {Object.keys(METHODS).map((each) => (
                <option key={each} value={each} disabled={each === "retarget" && step > 0}>{short(each)}</option>
              ))}
            </select>
            {count > 1 && (
              <button type="button" class="quiet small icon" aria-label={`Remove step ${step + 1}`} data-tip="Remove this step" data-testid="remove-step" onClick={removeStep}>
                <Icon name="close" size={12} />
              </button>
            )}
          </span>
        );
      })}
      <Menu label="Add a step" testid="add-step" look="quiet icon" tip="Add a step: it works on what the ones before it made"
        entries={["Then also", ...Object.keys(METHODS).filter((each) => each !== "retarget").map((each) => ({
          label: short(each), about: about(each), testid: `add-step-${each}`, act: () => addStep(each),
        }))]}>
        <Icon name="plus" />
      </Menu>
    </div>
  );
}
