// What the shell remembers about itself: tabs, sizes, what is unfolded. Nothing of it is the document's.

import { effect, signal } from "@preact/signals";
import { selection } from "../store";

export type LeftTab = "open" | "body" | "constraints";
export type RightTab = "method" | "measures";

export const leftTab = signal<LeftTab>("open");
export const rightTab = signal<RightTab>("method");
export const helpOpen = signal(false);
/** Format that is about to be saved into the project; null: the dialog is closed. */
export const saving = signal<string | null>(null);

export interface Sizes { left: number; right: number; timeline: number; leftShut: boolean; rightShut: boolean; timelineShut: boolean }
/** Of the window, within what reads well. */
const share = (of: number, part: number, least: number, most: number): number => Math.round(Math.min(most, Math.max(least, of * part)));
const USUAL: Sizes = {
  left: share(innerWidth, 0.19, 312, 372), right: share(innerWidth, 0.21, 336, 420), timeline: share(innerHeight, 0.26, 200, 320),
  leftShut: false, rightShut: false, timelineShut: false,
};
const KEY = "poise-layout";

export const sizes = signal<Sizes>(read());

function read(): Sizes {
  try {
    const said = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return Object.fromEntries(Object.entries(USUAL).map(([key, usual]) =>
      [key, typeof said[key] === typeof usual ? said[key] : usual])) as unknown as Sizes;
  } catch {
    return USUAL;
  }
}

export function resize(changed: Partial<Sizes>): void {
  sizes.value = { ...sizes.value, ...changed };
  localStorage.setItem(KEY, JSON.stringify(sizes.value));
}

export function showLeft(tab: LeftTab): void {
  leftTab.value = tab;
  if (sizes.value.leftShut) resize({ leftShut: false });
}

export function showRight(tab: RightTab): void {
  rightTab.value = tab;
  if (sizes.value.rightShut) resize({ rightShut: false });
}

// A constraint that was picked elsewhere is to be seen; whoever looks at the body stays there.
effect(() => {
  if (selection.value?.kind === "constraint" && leftTab.peek() === "open") leftTab.value = "constraints";
});
