// What the page has to say: a lost connection, problems, notices.

import { useState } from "preact/hooks";
import { useSignalEffect } from "@preact/signals";
import { link, notices, openStep, problem, selection, waiting } from "../store";
import type { ProblemLine } from "../messages";
import { Icon } from "./icons";
import { showLeft, showRight } from "./ui";

/** Refused, or lost after it was there once; the first connecting is the empty page's to say. */
export function ConnectionBanner() {
  const [was, setWas] = useState(false);
  useSignalEffect(() => {
    if (link.value === "open" || link.value === "lost") setWas(true);
  });
  if (link.value === "refused")
    return (
      <div class="pn-banner pn-banner-bad" role="alert" data-testid="connection">
        <Icon name="warning" /> This page has no key to the server. Open the address that <code>poise studio</code> printed.
      </div>
    );
  if (link.value === "open" || !was) return null;
  return (
    <div class="pn-banner" role="status" data-testid="connection">
      <Icon name="warning" /> Working offline: reconnecting. What you do now is sent when the server is back.
    </div>
  );
}

/** What takes so long. */
export function Waiting() {
  if (!waiting.value) return null;
  return (
    <div class="pn-waiting pn-progress" role="status" data-testid="waiting">
      <span>{waiting.value}</span>
      <progress aria-label={waiting.value} />
    </div>
  );
}

const PLACE = /^steps\.(\d+)\.\w+\.constraints\.(\d+)/;

/** Go to what a line is about. */
function show(line: ProblemLine): void {
  const found = PLACE.exec(line.path);
  const step = /^steps\.(\d+)/.exec(line.path);
  if (found) {
    openStep.value = Number(found[1]);
    selection.value = { kind: "constraint", step: Number(found[1]), index: Number(found[2]) };
    showLeft("constraints");
  } else if (step) {
    openStep.value = Number(step[1]);
    showRight("method");
  } else if (/^(clip|character|environment)/.test(line.path)) showLeft("body");
}

export function Problems() {
  const now = problem.value;
  if (!now || !now.lines.length) return null;
  return (
    <div class="pn-problem" role="alert" data-testid="problem">
      <Icon name="warning" />
      <ul>{now.lines.map((line, i) => <li key={`${i} ${line.text}`}><Line line={line} index={i} /></li>)}</ul>
      <button type="button" class="quiet icon" aria-label="Dismiss" data-testid="problem-dismiss" onClick={() => (problem.value = null)}><Icon name="close" /></button>
    </div>
  );
}

/** Lists of all known names go on for long: folded until asked for. */
const LONG = 170;

function Line({ line, index }: { line: ProblemLine; index: number }) {
  const [all, setAll] = useState(false);
  const long = line.text.length > LONG;
  const text = long && !all ? `${line.text.slice(0, LONG).replace(/[,\s]+\S*$/, "")}…` : line.text;
  return (
    <>
      {line.path ? (
        <button type="button" class="quiet pn-problem-line" data-testid={`problem-${index}`} data-tip={`Go there: ${line.path}`} onClick={() => show(line)}>{text}</button>
      ) : text}
      {long && <button type="button" class="quiet small" aria-expanded={all} onClick={() => setAll(!all)}>{all ? "less" : "more"}</button>}
    </>
  );
}

export function Notices() {
  return (
    <div class="pn-notices" role="status" aria-live="polite">
      {notices.value.map((each) => (
        <div key={each.id} class={`pn-notice pn-notice-${each.tone}`} data-testid="notice">
          <span>{each.text}</span>
          <button type="button" class="quiet small icon" aria-label="Dismiss"
            onClick={() => (notices.value = notices.value.filter((other) => other.id !== each.id))}><Icon name="close" size={12} /></button>
        </div>
      ))}
    </div>
  );
}
