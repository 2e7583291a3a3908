// The bar on top: the document, undo, the steps and their run, what leaves, how it looks.

import { documentState, link, redo, theme, undo } from "../store";
import { ExportMenu } from "./export_menu";
import { Icon } from "./icons";
import { RunControl } from "./run_control";
import { StepChooser } from "./step_chooser";
import { nextTheme } from "./theme";
import { helpOpen, showLeft } from "./ui";

export function TopBar() {
  const state = documentState.value;
  return (
    <header class="pn-top">
      <span class="pn-logo"><Logo />Poise</span>
      {state && (
        <>
          <button type="button" class="quiet pn-document" data-testid="document-name" data-tip={`${state.name}\nOpen another`} onClick={() => showLeft("open")}>
            <span>{state.name}</span>
          </button>
          <span class="pn-group">
            <button type="button" class="quiet icon" data-testid="undo" aria-label={state.undo ? `Undo: ${state.undo}` : "Undo"} disabled={!state.undo}
              data-tip={`Undo ${state.undo} (Ctrl+Z)`} onClick={undo}><Icon name="undo" /></button>
            <button type="button" class="quiet icon" data-testid="redo" aria-label={state.redo ? `Redo: ${state.redo}` : "Redo"} disabled={!state.redo}
              data-tip={`Redo ${state.redo} (Ctrl+Y)`} onClick={redo}><Icon name="redo" /></button>
          </span>
          <StepChooser />
          <RunControl />
        </>
      )}
      <span class="pn-space" />
      {state && <SavedState />}
      {state && <ExportMenu />}
      <ThemeButton />
      <button type="button" class="quiet icon" aria-label="Help and shortcuts" data-tip="Help and shortcuts (?)" data-testid="help" onClick={() => (helpOpen.value = true)}>
        <Icon name="help" />
      </button>
    </header>
  );
}

function SavedState() {
  const offline = link.value !== "open";
  return (
    <span class="pn-saved" data-testid="saved" data-tip="Every edit is on disk at once: under Open it can be taken up again, even after a crash.">
      {offline ? "Offline" : <><Icon name="check" size={13} />Saved</>}
    </span>
  );
}

const THEMES = { light: ["sun", "light"], dark: ["moon", "dark"], system: ["auto", "as the system"] } as const;

function ThemeButton() {
  const [icon, word] = THEMES[theme.value] ?? THEMES.system;
  return (
    <button type="button" class="quiet icon" aria-label={`Theme: ${word}`} data-tip={`Theme: ${word}`} data-testid="theme-toggle" onClick={nextTheme}>
      <Icon name={icon} />
    </button>
  );
}

/** A figure on one foot, over its point. */
function Logo() {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <circle cx="10.5" cy="3" r="1.8" />
      <path d="M10.5 6 10 11l.5 5.5M10 11l-5 2.5M4 6.5l6.5 1 5.5-2.5" />
      <path d="M7 18.5h7" stroke="var(--accent)" />
    </svg>
  );
}
