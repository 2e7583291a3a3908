// A number: typed, stepped with the arrow keys, or scrubbed by dragging across it.

import { useRef, useState } from "preact/hooks";
import { numberText, stepFor } from "./schema";

export interface NumberFieldProps {
  value: number | undefined | null;
  /** Shown faintly where there is no value, and where steps start from. */
  fallback?: number | null;
  /** Undefined: emptied, back to the default. */
  onChange(value: number | undefined, merge: string): void;
  /** Its key in the recipe: says the unit and with it the size of steps. */
  name: string;
  label: string;
  whole?: boolean;
  least?: number;
  most?: number;
  unit?: string;
  /** A letter in front: x. */
  axis?: string;
  id?: string;
  testid?: string;
  about?: string;
}

const PIXELS_PER_STEP = 3;
const DEAD_PX = 4;
/** Edits while scrubbing: seldom enough that each can be solved. */
const EVERY_MS = 60;
let gestures = 0;

export function NumberField(props: NumberFieldProps) {
  const { value, fallback, name, label, whole = false, unit = "", axis } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const scrub = useRef<{ x: number; from: number; step: number; moved: boolean; merge: string; sent: number } | null>(null);
  const [live, setLive] = useState<number | null>(null);
  const shown = live ?? value ?? null;

  const clamp = (wanted: number): number => {
    const kept = Math.min(props.most ?? Infinity, Math.max(props.least ?? -Infinity, wanted));
    return whole ? Math.round(kept) : Number(kept.toPrecision(9));
  };

  function commit(): void {
    if (typed === null) return;
    const text = typed.trim().replace(",", ".");
    setTyped(null);
    if (text === "") {
      if (value != null) props.onChange(undefined, "");
      return;
    }
    const wanted = Number(text);
    if (!Number.isFinite(wanted)) return;
    const next = clamp(wanted);
    if (next !== value) props.onChange(next, "");
  }

  function keys(event: KeyboardEvent): void {
    if (event.key === "Enter") commit();
    else if (event.key === "Escape" && typed !== null) {
      setTyped(null);
      event.stopPropagation();
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      event.preventDefault();
      const written = typed === null ? NaN : Number(typed.replace(",", "."));
      const from = Number.isFinite(written) && typed !== "" ? written : value ?? fallback ?? 0;
      const size = stepFor(name, whole, from || (fallback ?? 0)) * fine(event);
      const step = whole ? Math.max(1, Math.round(size)) : size;
      setTyped(null);
      props.onChange(clamp(from + (event.key === "ArrowUp" ? step : -step)), `${props.testid ?? name} arrows`);
    }
  }

  function down(event: PointerEvent): void {
    const input = event.currentTarget as HTMLInputElement;
    if (event.button !== 0 || document.activeElement === input || input.disabled) return;
    // Not focused until it is clear that this is a click and not a drag.
    event.preventDefault();
    (document.activeElement as HTMLElement | null)?.blur();
    input.setPointerCapture(event.pointerId);
    const from = value ?? fallback ?? 0;
    gestures += 1;
    scrub.current = {
      x: event.clientX, from, step: stepFor(name, whole, from || (fallback ?? 0)), moved: false,
      merge: `${props.testid ?? name} scrub ${gestures}`, sent: 0,
    };
  }

  function move(event: PointerEvent): void {
    const at = scrub.current;
    if (!at) return;
    const dx = event.clientX - at.x;
    if (!at.moved && Math.abs(dx) < DEAD_PX) return;
    at.moved = true;
    const next = clamp(at.from + Math.round(dx / PIXELS_PER_STEP) * at.step * fine(event));
    if (next === (live ?? value)) return;
    setLive(next);
    const now = performance.now();
    if (now - at.sent < EVERY_MS) return;
    at.sent = now;
    props.onChange(next, at.merge);
  }

  function up(event: PointerEvent): void {
    const at = scrub.current;
    scrub.current = null;
    if (!at) return;
    if (at.moved) {
      if (live !== null) props.onChange(live, at.merge);
      setLive(null);
      return;
    }
    const input = event.currentTarget as HTMLInputElement;
    input.focus();
    input.select();
  }

  function lost(): void {
    scrub.current = null;
    setLive(null);
  }

  const bad = typed !== null && typed.trim() !== "" && !Number.isFinite(Number(typed.replace(",", ".")));
  return (
    <span class={`pn-number ${shown === null && typed === null ? "pn-number-default" : ""}`}>
      {axis && <span class="pn-number-axis" aria-hidden="true">{axis}</span>}
      <input
        id={props.id} data-testid={props.testid} type="text" inputMode="decimal" autocomplete="off" role="spinbutton"
        aria-label={label} aria-invalid={bad} aria-describedby={props.about} aria-valuenow={shown ?? fallback ?? undefined}
        aria-valuemin={props.least} aria-valuemax={props.most}
        value={typed ?? (shown === null ? "" : numberText(shown))}
        placeholder={fallback == null ? "–" : numberText(fallback)}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={commit} onKeyDown={keys}
        onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={lost}
      />
      {unit && <span class="pn-number-unit" aria-hidden="true">{unit}</span>}
    </span>
  );
}

function fine(event: { shiftKey: boolean; altKey: boolean }): number {
  return event.shiftKey ? 10 : event.altKey ? 0.1 : 1;
}
