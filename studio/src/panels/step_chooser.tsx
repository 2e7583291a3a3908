// The steps of the recipe: which one the panels are about, its method, one more, one less.

import { documentState, edit, openStep, recipe, keptNow, methodsThere, selection } from "../store";
import { methodName, METHODS, methodOf, stepCount, withoutStep, withStep } from "../recipe";
import { Icon } from "./icons";
import { Menu } from "./menu";
import { changeMethod, retargetWanted } from "./method_change";

const about = (method: string): string => {
  const words = (METHODS[method] ?? "").split(": ")[1] ?? "";
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function addStep(method: string): void {
  const now = recipe.value;
  if (!now) return;
  edit(withStep(now, method, keptNow()), `add step ${methodName(method).toLowerCase()}`);
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
        const method = retargetWanted.value && step === openStep.value ? "retarget" : methodOf(now, step);
        if (step !== openStep.value)
          return (
            <button key={step} type="button" class="pn-step" data-testid={`step-${step}`} aria-label={`Step ${step + 1}: ${methodName(method)}`}
              data-tip={`Step ${step + 1}: ${about(method)}`} onClick={() => {
                openStep.value = step;
                selection.value = null;
              }}>
              <span class="pn-step-number">{step + 1}</span>{methodName(method)}
            </button>
          );
        return (
          <span key={step} class="pn-step pn-step-open" data-testid={`step-${step}`} aria-current="step">
            <span class="pn-step-number">{step + 1}</span>
            <select aria-label={`Method of step ${step + 1}`} data-testid="method-select" data-tip={about(method)} value={method}
              onChange={(event) => changeMethod(event.currentTarget.value)}>
              {methodsThere().map((each) => (
                <option key={each} value={each} disabled={each === "retarget" && step > 0}>{methodName(each)}</option>
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
        entries={["Then also", ...methodsThere().filter((each) => each !== "retarget").map((each) => ({
          label: methodName(each), about: about(each), testid: `add-step-${each}`, act: () => addStep(each),
        }))]}>
        <Icon name="plus" />
      </Menu>
    </div>
  );
}
