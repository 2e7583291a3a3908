// The key map. Keys belong to whoever has the focus first: fields, menus, dialogs and bars keep theirs.

import { documentState, draft, endDrag, gizmo, redo, run, selection, undo } from "./store";
import { goToDoubt } from "./timeline/confidence";
import { play, playPause, rangeFromHere, rangeToHere, step, toEnd, toStart } from "./timeline/playback";
import { flushTouches, removeSelected, splitSelected } from "./timeline/touch_state";
import { flushNudge, removeConstraint } from "./timeline/wish_state";
import { frameView, selectNext, setView, settleNudges } from "./viewport/actions";
import { saveAgain } from "./panels/exports";
import { retargetWanted } from "./panels/method_change";
import { helpOpen } from "./panels/ui";

type Shortcut = [keys: string[], what: string];

/** As the help shows them. */
export const SHORTCUTS: { title: string; keys: Shortcut[] }[] = [
  {
    title: "Time",
    keys: [
      [["Space"], "play, pause"],
      [["←", "→"], "one frame back, on"],
      [["Shift", "← →"], "ten frames"],
      [["Home", "End"], "start, end"],
      [["D"], "the next contact in doubt; Shift: the one before"],
      [["J", "K", "L"], "backwards, stop, forwards; again: faster"],
    ],
  },
  {
    title: "View",
    keys: [
      [["1", "3", "7"], "from the front, the side, above"],
      [["5"], "in perspective"],
      [["F"], "bring the figure into view"],
      [["N"], "select the next joint; Shift: the one before"],
      [["W", "E", "R"], "move, turn, no handles"],
      [["Alt", "← ↑"], "in the view: move what is selected by a centimetre"],
    ],
  },
  {
    title: "Edit",
    keys: [
      [["Ctrl", "Z"], "undo"],
      [["Ctrl", "Y"], "redo (also Ctrl Shift Z)"],
      [["Delete"], "remove the selected constraint, contact or point of a curve"],
      [["S"], "split the selected contact at the cursor"],
      [["I", "O"], "play from here, up to here"],
      [["Esc"], "give up a drag, select nothing"],
      [["Ctrl", "Enter"], "run"],
      [["Ctrl", "S"], "save the recipe"],
      [["?"], "this list"],
    ],
  },
  {
    title: "In number fields",
    keys: [
      [["↑", "↓"], "a step; Shift: ten, Alt: a tenth"],
      [["drag"], "scrub"],
      [["Enter"], "take it"],
    ],
  },
];

const TEXT = new Set(["text", "search", "number", "email", "url", "password"]);

/** Takes letters. */
function types(target: Element | null): boolean {
  if (target instanceof HTMLInputElement) return TEXT.has(target.type);
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLElement && target.isContentEditable);
}

/** Has keys of its own, such as arrows, even where it takes no letters. */
function listens(target: Element | null): boolean {
  return types(target) || target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
}

const PRESSED = "button, summary, a[href], [role=button], [role=tab], [role=menuitem], [role=slider]";

export function removeSelection(): void {
  const chosen = selection.value;
  if (chosen?.kind === "touch") return void removeSelected();
  if (chosen?.kind === "constraint") removeConstraint(chosen.step, chosen.index, chosen.point);
}

/** What keys have moved is kept before a command: undo is to take that back, and not what was before it. */
function settle(): void {
  settleNudges();
  flushNudge();
  flushTouches();
}

function giveUp(): void {
  if (draft.value) endDrag();
  else selection.value = null;
}

/** With Ctrl or Cmd. */
function command(event: KeyboardEvent, target: Element | null): (() => void) | undefined {
  const key = event.key.toLowerCase();
  if (key === "s") return saveAgain;
  if (key === "enter") return () => void (retargetWanted.peek() || run());
  if (types(target)) return undefined;
  if (key === "z") return event.shiftKey ? redo : undo;
  if (key === "y") return redo;
  return undefined;
}

function plain(event: KeyboardEvent): (() => void) | undefined {
  const far = event.shiftKey ? 10 : 1;
  switch (event.key.length === 1 ? event.key.toLowerCase() : event.key) {
    case " ": return playPause;
    case "ArrowLeft": return () => step(-far);
    case "ArrowRight": return () => step(far);
    case "Home": return toStart;
    case "End": return toEnd;
    case "j": return () => play(-1);
    case "k": return () => play(0);
    case "l": return () => play(1);
    case "w": return () => (gizmo.value = "translate");
    case "e": return () => (gizmo.value = "rotate");
    case "r": return () => (gizmo.value = "none");
    case "f": return frameView;
    case "d": return () => goToDoubt(event.shiftKey ? -1 : 1);
    case "n": return () => selectNext(event.shiftKey ? -1 : 1);
    case "s": return () => void splitSelected();
    case "i": return rangeFromHere;
    case "o": return rangeToHere;
    case "1": return () => setView("front");
    case "3": return () => setView("side");
    case "7": return () => setView("top");
    case "5": return () => setView("perspective");
    case "Delete": case "Backspace": return removeSelection;
    case "Escape": return giveUp;
  }
  return undefined;
}

/** Listen; returns how to stop. */
export function installKeys(): () => void {
  let byPointer = false;
  const pointer = (): void => void (byPointer = true);
  const moved = (event: KeyboardEvent): void => {
    if (event.key === "Tab") byPointer = false;
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    const target = event.target instanceof Element ? event.target : null;
    const act = chosen(event, target);
    if (!act) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) settle();
    act();
  };
  const chosen = (event: KeyboardEvent, target: Element | null): (() => void) | undefined => {
    if (event.key === "?" && !types(target)) return () => (helpOpen.value = true);
    if (!documentState.value) return undefined;
    if (event.ctrlKey || event.metaKey) return event.altKey ? undefined : command(event, target);
    if (event.altKey || listens(target)) return undefined;
    // Space presses the button that has the focus, unless that is only where a mouse clicked last.
    const button = target?.closest<HTMLElement>(PRESSED);
    if (event.key === " " && button) {
      if (!byPointer) return undefined;
      button.blur();
    }
    return plain(event);
  };
  addEventListener("pointerdown", pointer, true);
  addEventListener("keydown", moved, true);
  addEventListener("keydown", pressed);
  return () => {
    removeEventListener("pointerdown", pointer, true);
    removeEventListener("keydown", moved, true);
    removeEventListener("keydown", pressed);
  };
}
