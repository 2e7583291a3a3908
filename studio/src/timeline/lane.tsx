// A row of the timeline: a label and a track that bars lie in.

import type { ComponentChildren } from "preact";

interface LaneProps {
  label: ComponentChildren;
  testid?: string;
  look?: string;
  /** Of the track, for screen readers. */
  about?: string;
  onDown?(event: PointerEvent): void;
  children?: ComponentChildren;
}

export function Lane({ label, testid, look, about, onDown, children }: LaneProps) {
  return (
    <div class={`tl-row ${look ?? ""}`}>
      <div class="tl-label">{label}</div>
      <div class="tl-track" role="group" aria-label={about} data-testid={testid} onPointerDown={onDown}>{children}</div>
    </div>
  );
}

/** The heading of a group of lanes; its lanes can be folded away. */
export function Heading(
  { text, open, testid, onToggle, children }:
  { text: string; open: boolean; testid?: string; onToggle(): void; children?: ComponentChildren },
) {
  return (
    <div class="tl-heading" data-grab>
      <button type="button" class="tl-fold" aria-expanded={open} data-testid={testid} onClick={onToggle}>
        <span aria-hidden="true" class="tl-arrow">{open ? "▾" : "▸"}</span>{text}
      </button>
      {children}
    </div>
  );
}
