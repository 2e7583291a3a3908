// Figures before and after with what they say, and curves over time beside the playhead.

import { effect, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { documentState, measures, problem, send } from "../store";
import type { FigureRow } from "../messages";
import { ofThisDocument, words } from "./editing";
import { MeasurePlots } from "./measure_plots";
import "./editors.css";

const measuresNow = ofThisDocument(measures);

const CHANGES: Record<string, [string, string]> = { better: ["▲", "better"], worse: ["▼", "worse"], same: ["=", "the same"] };

/** Two or three digits that count. */
export function figure(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < 5e-5) return "0";
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.1) return value.toFixed(2);
  return value.toFixed(size < 0.01 ? 4 : 3);
}

export function MeasuresPanel() {
  const panel = useRef<HTMLElement>(null);
  const seen = useSignal(false);
  /** What the server is measuring. */
  const asked = useSignal("");
  const state = documentState.value;
  const found = measuresNow.value;
  // What it would be measured of: the document, and whether there is a result.
  const now = state ? `${state.id} ${state.solved === "yes"} ${JSON.stringify(state.recipe)}` : "";
  const of = useRef<{ data: typeof found; key: string }>({ data: null, key: "" });
  if (found && of.current.data !== found) {
    of.current = { data: found, key: asked.peek() || now };
    if (asked.peek()) queueMicrotask(() => (asked.value = ""));
  }
  const busy = asked.value !== "";
  const stale = found !== null && of.current.key !== now;

  useEffect(() => {
    const watch = new IntersectionObserver((entries) => (seen.value = entries.some((entry) => entry.isIntersecting)));
    watch.observe(panel.current!);
    return () => watch.disconnect();
  }, []);
  // Asked for by itself once only: what cannot be measured is not asked for again and again.
  const tried = useRef("");
  const ask = () => {
    tried.current = now;
    asked.value = now;
    send({ kind: "ask_measures" });
  };
  useEffect(() => {
    if (seen.value && state?.solved === "yes" && now !== tried.current && of.current.key !== now) ask();
  }, [seen.value, now]);
  // Where something was wrong nothing comes back: the button is to work again.
  useEffect(() => effect(() => {
    if (problem.value?.about === "ask_measures") asked.value = "";
  }), []);

  const groups = new Map<string, FigureRow[]>();
  for (const row of found?.message.rows ?? []) groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  return (
    <section ref={panel} class="ed-measures" aria-label="Measures" data-testid="measures-panel">
      <div class="ed-row">
        <button type="button" class="ed-button" data-testid="measure-button" disabled={!state || busy} onClick={ask}>
          {busy ? "Measuring…" : found ? "Measure again" : "Measure"}
        </button>
        <span class="ed-legend"><i class="ed-of-before" /> before <i class="ed-of-after" /> after</span>
        {stale && !busy && <small class="ed-stale" role="status">of an earlier version</small>}
      </div>
      {!found && <p class="ed-about">How physical the motion is, before and after: feet, ground, balance, strength, likeness.</p>}
      {found?.message.notes.map((note) => <p class="ed-about" key={note}>{note}</p>)}
      {groups.size > 0 && (
        <table class="ed-figures">
          <thead><tr><th>measure</th><th>before</th><th>after</th><th aria-label="change" /></tr></thead>
          {[...groups].map(([group, rows]) => (
            <tbody key={group}>
              <tr class="ed-group"><th colSpan={4} scope="rowgroup">{group.charAt(0).toUpperCase() + words(group.slice(1))}</th></tr>
              {rows.map((row) => <Row key={row.key} row={row} />)}
            </tbody>
          ))}
        </table>
      )}
      {found && found.message.plots.length > 0 && <MeasurePlots data={found} />}
    </section>
  );
}

function Row({ row }: { row: FigureRow }) {
  const [mark, said] = CHANGES[row.change] ?? ["", ""];
  return (
    <tr title={row.about} data-testid={`measure-row-${row.key}`}>
      <th scope="row">{row.name}{row.unit && <small> {row.unit}</small>}</th>
      <td class="ed-of-before">{figure(row.before)}</td>
      <td class="ed-of-after">
        {row.verdict && row.after !== null ? <span class={`ed-chip ed-${row.verdict}`} title={row.verdict}>{figure(row.after)}</span> : figure(row.after)}
      </td>
      <td class={`ed-change ed-${row.change}`} title={said} aria-label={said}>{mark}</td>
    </tr>
  );
}
