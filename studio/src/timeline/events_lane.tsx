// Ticks where something happens, over a curve: height of the centre of mass, or a measure.

import { computed, signal } from "@preact/signals";
import { measures, rate } from "../store";
import { across, leftOf } from "./bar";
import { keyEvents, type KeyEvent } from "./events";
import { Lane } from "./lane";
import { goTo } from "./playback";
import { hideTip, showTip } from "./tip";
import { captured, result } from "./touch_state";
import { seconds } from "./words";

const HEIGHT = "height";
const NONE = "none";
const chosen = signal(HEIGHT);

interface Curve { which: "before" | "after"; values: ArrayLike<number> }

const curves = computed<Curve[]>(() => {
  const found: Curve[] = [];
  for (const which of ["before", "after"] as const) {
    if (chosen.value === HEIGHT) {
      const com = (which === "before" ? captured : result).value?.arrays.com_m;
      if (com) found.push({ which, values: Array.from({ length: com.length / 3 }, (_, f) => com[3 * f + 1]!) });
      continue;
    }
    const plot = measures.value?.message.plots.find((each) => each.name === chosen.value);
    const rows = measures.value?.arrays[which];
    const length = measures.value?.message.arrays.find((each) => each.name === which)?.shape[1] ?? 0;
    if (plot && rows && length) found.push({ which, values: rows.subarray(plot.row * length, (plot.row + 1) * length) });
  }
  return found;
});

const TALL = 100;

/** A path with a gap wherever there is no value. */
function path(values: ArrayLike<number>, low: number, high: number): string {
  let text = "";
  let pen = "M";
  for (let f = 0; f < values.length; f += 1) {
    const value = values[f]!;
    if (!Number.isFinite(value)) {
      pen = "M";
      continue;
    }
    const y = TALL * (0.95 - (0.9 * (value - low)) / Math.max(1e-9, high - low));
    text += `${pen}${f + 0.5} ${y.toFixed(1)}`;
    pen = "L";
  }
  return text;
}

function Curves() {
  const shown = curves.value;
  const count = Math.max(0, ...shown.map((each) => each.values.length));
  if (count === 0) return null;
  const numbers = shown.flatMap((each) => Array.from(each.values).filter(Number.isFinite));
  const low = numbers.reduce((a, b) => Math.min(a, b), Infinity);
  const high = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
  return (
    <svg class="tl-curve" viewBox={`0 0 ${count} ${TALL}`} preserveAspectRatio="none" aria-hidden="true" style={across(0, count - 1)}>
      {shown.map((each) => (
        <path key={each.which} class={`tl-curve-${each.which}`} d={path(each.values, low, high)} vector-effect="non-scaling-stroke" />
      ))}
    </svg>
  );
}

const MARKS: Record<KeyEvent["kind"], string> = { on: "▾", off: "▴", apex: "⌃", stage: "┃", point: "◆", edge: "" };

/** What happens in the same frame is one tick, with all that it is about in its words. */
const ticks = computed(() => {
  const found = new Map<number, { kind: KeyEvent["kind"]; texts: string[] }>();
  for (const each of keyEvents.value) {
    if (each.kind === "edge") continue;
    const known = found.get(each.frame);
    if (!known) found.set(each.frame, { kind: each.kind, texts: [each.text] });
    else {
      known.texts.push(each.text);
      if (each.kind === "point" || each.kind === "apex") known.kind = each.kind;
    }
  }
  return [...found];
});

export function EventsLane() {
  const plots = measures.value?.message.plots ?? [];
  const picker = (
    <select class="tl-picker" aria-label="curve over time" data-testid="tl-curve" value={chosen.value}
      onChange={(event) => (chosen.value = event.currentTarget.value)}>
      <option value={NONE}>events only</option>
      <option value={HEIGHT}>height of the CoM</option>
      {plots.map((each) => <option key={each.name} value={each.name}>{each.name}</option>)}
    </select>
  );
  return (
    <Lane label={picker} about="events" look="tl-events" testid="tl-events">
      <Curves />
      {ticks.value.map(([at, { kind, texts }]) => {
        const text = `frame ${at}, ${seconds(at, rate.value)} s: ${texts.join("; ")}`;
        return (
          <button
            key={at} type="button" tabIndex={-1} data-grab class={`tl-tick tl-tick-${kind}`} aria-label={text}
            style={{ left: leftOf(at) }} onClick={() => goTo(at)}
            onPointerMove={(event) => showTip(event, text)} onPointerLeave={hideTip}
          >
            {MARKS[kind]}
          </button>
        );
      })}
    </Lane>
  );
}
