// Run and Cancel, how far a run is, and what came of the last one.

import { keepsCapture, wishesOf } from "../recipe";
import { cancel, documentState, goals, progress, run } from "../store";
import { Icon } from "./icons";
import { retargetWanted } from "./method_change";
import { Popover } from "./popover";

const SOLVED: Record<string, [string, string]> = {
  no: ["Not run yet", "pn-faint"],
  stale: ["Out of date", "pn-fair"],
  solving: ["Solving", "pn-live"],
  yes: ["Solved", "pn-good"],
};

export function RunControl() {
  const state = documentState.value;
  if (!state) return null;
  const now = progress.value;
  if (now || state.solved === "solving") {
    const share = now && now.total > 0 ? now.done / now.total : undefined;
    const words = now ? now.stage.replaceAll("_", " ") : "starting";
    return (
      <div class="pn-run" data-testid="progress">
        <button type="button" class="danger" data-testid="cancel" data-tip="End the run; nothing changes" onClick={cancel}><Icon name="stop" /> Cancel</button>
        <span class="pn-progress">
          <span class="pn-progress-words" role="status">{words}{now && now.total > 1 ? ` ${now.done}/${now.total}` : ""}</span>
          {share === undefined ? <progress aria-label="Run" /> : <progress max={1} value={share} aria-label="Run" />}
        </span>
      </div>
    );
  }
  const [word, look] = SOLVED[state.solved] ?? ["", ""];
  const met = /^(|ok|converged|solved|done|finished)$/i.test(state.status);
  const yielding = met ? null : givenWay();
  const bad = state.solved === "yes" && !met && !yielding;
  return (
    <div class="pn-run">
      <button type="button" class="primary" data-testid="run" data-tip="Solve the recipe as it is (Ctrl+Enter)" disabled={retargetWanted.value} onClick={run}><Icon name="play" /> Run</button>
      <Popover label="What came of the last run" testid="status" look={`quiet pn-status ${bad ? "pn-fair" : look}`} tip={state.summary || word}
        button={<>
          <span class="pn-status-dot" />{state.solved !== "yes" || !state.status ? word : yielding ? "solved" : state.status.replaceAll("_", " ")}
          {state.solved === "yes" && yielding && <span class="pn-status-why">{yielding.join(" and ")} gave way</span>}
          {bad && <span class="pn-status-why">{state.summary}</span>}
        </>}>
        <p>{state.summary || "Nothing has been solved yet."}</p>
        {state.notes.length > 0 && <ul>{state.notes.map((each, i) => <li key={i}>{each}</li>)}</ul>}
      </Popover>
    </div>
  );
}

/** What was not kept of the capture, if that is all that was missed: it is there to give way. */
function givenWay(): string[] | null {
  const recipe = documentState.value!.recipe;
  const missed = (goals.value?.message.goals ?? []).filter((goal) => goal.met === false);
  const kept = missed.every((goal) => wishesOf(recipe, goal.step).some((wish) => wish.index === goal.index && keepsCapture(wish)));
  return missed.length > 0 && kept ? missed.map((goal) => goal.name) : null;
}
