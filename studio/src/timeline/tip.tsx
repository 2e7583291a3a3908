// The tooltip of the timeline: one for all, beside the pointer or above what has the focus.

import { signal } from "@preact/signals";

interface Shown { x: number; y: number; text: string }

const tip = signal<Shown | null>(null);

export function showTip(event: { clientX: number; clientY: number }, text: string): void {
  tip.value = { x: event.clientX, y: event.clientY, text };
}

export function hideTip(): void {
  tip.value = null;
}

export function Tip() {
  const now = tip.value;
  if (!now) return null;
  const left = Math.max(8, Math.min(now.x + 12, window.innerWidth - 330));
  // Above the pointer: the timeline is at the bottom of the window.
  return (
    <div class="tl-tip" aria-hidden="true" style={{ left: `${left}px`, bottom: `${window.innerHeight - now.y + 14}px` }}>
      {now.text}
    </div>
  );
}
