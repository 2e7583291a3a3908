// A bar in a lane: placed by its frames, with a handle at either end, moved by pointer or keys.

import type { ComponentChildren } from "preact";
import { playPause } from "./playback";
import { bringIntoSight } from "./view";
import { hideTip, showTip } from "./tip";

export type Side = "first" | "last";

export interface BarProps {
  first: number;
  last: number;
  testid: string;
  /** What a screen reader says. */
  label: string;
  /** Where the pointer is may say more. */
  tip: string | ((event: PointerEvent) => string);
  look: string;
  chosen: boolean;
  onSelect(): void;
  onGrab?(event: PointerEvent): void;
  onEdge?(event: PointerEvent, side: Side): void;
  onMove?(by: number): void;
  onStretch?(side: Side, by: number): void;
  onRemove?(): void;
  onSplit?(event: MouseEvent | null): void;
  onMenu?(event: MouseEvent): void;
  onBlur?(): void;
  children?: ComponentChildren;
}

/** Frames as CSS: they follow zoom and pan without being drawn anew. */
export function leftOf(frame: number): string {
  return `calc(var(--tl-frame) * ${frame} + var(--tl-shift))`;
}

export function across(first: number, last: number): { left: string; width: string } {
  return { left: leftOf(first - 0.5), width: `calc(var(--tl-frame) * ${last - first + 1})` };
}

export const MANY = 10;

/** Arrows move, Shift ten frames; Alt stretches the end, Alt and Shift the start. True: it was ours. */
export function barKey(event: KeyboardEvent, bar: Partial<BarProps>): boolean {
  if (event.ctrlKey || event.metaKey) return false;
  const sign = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
  // Ours even where nothing can be stretched: a browser would go back to its last page.
  if (sign && event.altKey) bar.onStretch?.(event.shiftKey ? "first" : "last", sign);
  else if (event.altKey) return false;
  else if (sign && bar.onMove) bar.onMove(sign * (event.shiftKey ? MANY : 1));
  else if (event.key === " ") playPause();
  else if (event.key === "Enter") bar.onSelect?.();
  else if ((event.key === "Delete" || event.key === "Backspace") && bar.onRemove) bar.onRemove();
  else if (event.key.toLowerCase() === "s" && !event.shiftKey && bar.onSplit) bar.onSplit(null);
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

export function Bar(props: BarProps) {
  const { first, last, testid, label, tip, look, chosen } = props;
  const onEdge = (side: Side) => (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.stopPropagation();
    props.onSelect();
    props.onEdge?.(event, side);
  };
  return (
    <div
      class={`tl-bar ${look}${chosen ? " tl-chosen" : ""}${props.onGrab ? " tl-movable" : ""}`}
      role="button" tabIndex={0} aria-label={label} aria-pressed={chosen} data-testid={testid} data-grab
      style={across(first, last)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.stopPropagation();
        props.onSelect();
        props.onGrab?.(event);
      }}
      onPointerMove={(event) => event.buttons === 0 && showTip(event, typeof tip === "string" ? tip : tip(event))}
      onPointerLeave={hideTip}
      onDblClick={(event) => props.onSplit?.(event)}
      onContextMenu={(event) => props.onMenu?.(event)}
      onKeyDown={(event) => barKey(event, props)}
      onBlur={props.onBlur}
      onFocus={(event) => {
        if (event.currentTarget.matches(":focus-visible")) bringIntoSight(first);
      }}
    >
      {props.children}
      {props.onEdge && <span class="tl-edge tl-edge-first" data-testid={`${testid}-start`} onPointerDown={onEdge("first")} />}
      {props.onEdge && <span class="tl-edge tl-edge-last" data-testid={`${testid}-end`} onPointerDown={onEdge("last")} />}
    </div>
  );
}
