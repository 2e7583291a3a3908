// Between the members of a family: a pad for two axes, sliders for others; motions come back live.

import { computed, effect, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { documentState, endDrag, family, nextNumber, openStep, send } from "../store";
import { contentOf } from "../recipe";
import { Section, Slider } from "./controls";
import { followPointer, ofThisDocument, onceAFrame, round } from "./editing";

const known = ofThisDocument(family);

/** A family that can be played with: of the recipe as it is. */
export const familyNow = computed(() => {
  const now = documentState.value;
  if (!now || now.solved !== "yes") return null;
  const { family: axes, two_leaps_m: two } = contentOf(now.recipe, openStep.value).settings ?? {};
  return axes?.length || two != null ? known.value : null;
});

/** What does not change from blend to blend, as text: the pad is made anew only with it. */
const shape = computed(() => {
  const found = familyNow.value?.message;
  return found ? JSON.stringify([found.axes, found.low, found.high, found.statuses]) : "";
});

export function BlendPad() {
  return shape.value ? <Pad key={shape.value} /> : null;
}

const SIDE = 220;
const EDGE = 18;

function Pad() {
  const { message, arrays } = useMemo(() => familyNow.peek()!, []);
  const { axes, low, high, statuses } = message;
  const members = arrays.members as Float32Array;
  const count = axes.length ? members.length / axes.length : 0;
  const at = useSignal(axes.map((_, i) => Math.min(high[i]!, Math.max(low[i]!, 0))));
  const knob = useRef<SVGGElement>(null);
  const samples = useRef<(SVGCircleElement | null)[]>([]);
  const says = useRef<HTMLOutputElement>(null);
  const flat = axes.length >= 2;

  const blend = useMemo(() => onceAFrame((coordinate: number[]) => send({ kind: "blend_family", coordinate, number: nextNumber() })), []);
  const go = (to: number[]) => {
    at.value = to.map((v, i) => round(Math.min(high[i]!, Math.max(low[i]!, v))));
    blend(at.value);
  };
  const share = (value: number, i: number) => (high[i]! > low[i]! ? (value - low[i]!) / (high[i]! - low[i]!) : 0.5);
  const x = (value: number) => EDGE + (SIDE - 2 * EDGE) * share(value, 0);
  const y = (value: number) => SIDE - EDGE - (SIDE - 2 * EDGE) * share(value, 1);

  // The knob and the lights move past the framework: one attribute each.
  useEffect(() => effect(() => {
    const now = at.value;
    if (flat) knob.current?.setAttribute("transform", `translate(${x(now[0]!)} ${y(now[1]!)})`);
    if (says.current) says.current.textContent = axes.map((name, i) => `${name} ${now[i]!.toFixed(2)}`).join(", ");
  }), []);
  useEffect(() => effect(() => {
    const weights = familyNow.value?.message.weights ?? [];
    samples.current.forEach((dot, i) => {
      if (!dot) return;
      const weight = Math.max(0, weights[i] ?? 0);
      dot.style.fillOpacity = String(Math.min(1, weight * 2));
      dot.setAttribute("r", (4 + 5 * Math.sqrt(Math.min(1, weight))).toFixed(1));
    });
  }), []);

  const place = (event: PointerEvent, pad: Element) => {
    const box = pad.getBoundingClientRect();
    const span = SIDE - 2 * EDGE;
    const u = ((event.clientX - box.left) * (SIDE / box.width) - EDGE) / span;
    const v = (SIDE - EDGE - (event.clientY - box.top) * (SIDE / box.height)) / span;
    go([low[0]! + u * (high[0]! - low[0]!), low[1]! + v * (high[1]! - low[1]!), ...at.peek().slice(2)]);
  };
  const KEYS: Record<string, [number, number]> = {
    ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
  };
  return (
    <Section title={`Blend ${count} leaps`} testid="family-blend" about="Drag: the leap follows. Lit members take part.">
      {flat && (
        <svg
          class="ed-pad" viewBox={`0 0 ${SIDE} ${SIDE}`} width={SIDE} height={SIDE} tabindex={0} role="application"
          aria-label={`Blend by ${axes[0]} and ${axes[1]}: arrow keys or drag`} data-testid="family-pad"
          onPointerDown={(event) => {
            const pad = event.currentTarget;
            followPointer(event, (e) => place(e, pad), () => {});
            place(event, pad);
          }}
          onKeyDown={(event) => {
            const way = KEYS[event.key];
            if (!way) return;
            event.preventDefault();
            event.stopPropagation();
            const step = event.shiftKey ? 0.1 : 0.02;
            go(at.peek().map((v, i) => (i < 2 ? v + way[i]! * step * (high[i]! - low[i]!) : v)));
          }}
        >
          <rect x={EDGE} y={EDGE} width={SIDE - 2 * EDGE} height={SIDE - 2 * EDGE} />
          <text x={SIDE / 2} y={SIDE - 4} text-anchor="middle">{axes[0]} {low[0]!.toFixed(2)} … {high[0]!.toFixed(2)}</text>
          <text transform={`translate(11 ${SIDE / 2}) rotate(-90)`} text-anchor="middle">{axes[1]} {low[1]!.toFixed(2)} … {high[1]!.toFixed(2)}</text>
          {Array.from({ length: count }, (_, i) => (
            <circle
              key={i} ref={(dot) => { samples.current[i] = dot; }} r="4" style={{ fillOpacity: 0 }}
              class={(statuses[i] ?? "converged") === "converged" ? "ed-member" : "ed-member ed-failed"}
              cx={x(members[i * axes.length]!)} cy={y(members[i * axes.length + 1]!)}
            ><title>{statuses[i]}</title></circle>
          ))}
          <g ref={knob} class="ed-knob"><circle r="8" /><path d="M-13 0H13M0 -13V13" /></g>
        </svg>
      )}
      <Sliders from={flat ? 2 : 0} axes={axes} low={low} high={high} at={at} onInput={go} />
      {!flat && <Ticks values={Array.from(members)} low={low[0]!} high={high[0]!} statuses={statuses} dots={samples} />}
      <div class="ed-row">
        <output ref={says} class="ed-about" aria-live="off" />
        <button type="button" class="ed-link" data-testid="family-back" onClick={endDrag}>Back to the result</button>
      </div>
    </Section>
  );
}

function Sliders({ from, axes, low, high, at, onInput }: {
  from: number; axes: string[]; low: number[]; high: number[]; at: { value: number[]; peek(): number[] }; onInput(to: number[]): void;
}) {
  return (
    <>
      {axes.map((name, i) => i >= from && (
        <Slider
          key={name} label={name} min={low[i]!} max={high[i]!} step={(high[i]! - low[i]!) / 200 || 0.01} value={at.value[i]!}
          shown={at.value[i]!.toFixed(2)} testid={from === 0 && i === 0 ? "family-pad" : `family-slider-${i}`}
          onInput={(to) => onInput(at.peek().map((v, k) => (k === i ? to : v)))}
        />
      ))}
    </>
  );
}

/** Members along the one axis of a line. */
function Ticks({ values, low, high, statuses, dots }: {
  values: number[]; low: number; high: number; statuses: string[]; dots: { current: (SVGCircleElement | null)[] };
}) {
  return (
    <svg class="ed-ticks" viewBox="0 0 220 20" aria-hidden="true">
      {values.map((value, i) => (
        <circle
          key={i} ref={(dot) => { dots.current[i] = dot; }} cy="10" r="4" cx={10 + (200 * (value - low)) / (high - low || 1)}
          class={(statuses[i] ?? "converged") === "converged" ? "ed-member" : "ed-member ed-failed"} style={{ fillOpacity: 0 }}
        />
      ))}
    </svg>
  );
}
