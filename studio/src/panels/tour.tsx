// Cards that lead through a first edit: beside what they speak of, never in the way of it.

import { signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { recipe } from "../store";
import { Icon } from "./icons";
import { TOUR, type TourStep } from "./tour_steps";
import "./tour.css";

const KEY = "poise-tour";
const CARD = { width: 304, height: 190 };
const GAP = 12;
/** As wide as menus of the top bar get. */
const MENU = 360;
/** Over the bar at the bottom of the view. */
const CLEAR = 72;
/** Things move: panels unfold, lists grow. */
const LOOK_AGAIN_MS = 150;

/** Which card is shown; null: none. */
export const tourAt = signal<number | null>(null);

export function tourDone(): boolean {
  return localStorage.getItem(KEY) !== null;
}

export function startTour(): void {
  tourAt.value = 0;
}

function endTour(how: "done" | "skipped"): void {
  localStorage.setItem(KEY, how);
  tourAt.value = null;
}

interface Box { left: number; top: number; width: number; height: number }
/** What a card is about, and the panel that it should leave to be seen. */
interface Anchor { box: Box; panel: Box; side: "left" | "right" | "" }

const plain = ({ left, top, width, height }: DOMRect): Box => ({ left, top, width, height });

function anchorOf(step: TourStep): Anchor | null {
  for (const each of step.at) {
    const found = document.querySelector(`[data-testid="${each}"]`);
    const box = found?.getBoundingClientRect();
    if (!found || !box || box.width === 0) continue;
    const panel = found.closest(".pn-left, .pn-right") ?? found.closest(".pn-cards");
    const side = panel?.matches(".pn-left") ? "right" : panel ? "left" : "";
    return { box: plain(box), panel: plain((panel ?? found).getBoundingClientRect()), side };
  }
  return null;
}

/** Where the card goes: beside the panel, else below or above; in a corner of what is large. */
function cardPlace(anchor: Anchor | null, { inside, menu }: TourStep, height: number): { left: number; top: number } {
  const fit = (left: number, top: number) => ({
    left: Math.max(GAP, Math.min(left, innerWidth - CARD.width - GAP)),
    top: Math.max(GAP, Math.min(top, innerHeight - height - GAP)),
  });
  if (!anchor) return fit(innerWidth - CARD.width - 2 * GAP, innerHeight - height - 2 * GAP);
  const { box, panel, side } = anchor;
  // Beside a large view if there is room: the figure is what one should look at.
  if (inside && innerWidth - box.left - box.width >= CARD.width + 2 * GAP) return fit(box.left + box.width + GAP, box.top + box.height - height - GAP);
  if (inside) return fit(box.left + box.width - CARD.width - GAP, box.top + box.height - height - CLEAR);
  if (side === "right") return fit(panel.left + panel.width + GAP, box.top);
  if (side === "left") return fit(panel.left - CARD.width - GAP, box.top);
  const bottom = box.top + box.height;
  if (menu === "left") return fit(box.left + MENU, bottom + GAP);
  if (menu === "right") return fit(box.left + box.width - MENU - CARD.width, bottom + GAP);
  if (bottom + GAP + height < innerHeight) return fit(box.left, bottom + GAP);
  return fit(box.left, box.top - height - GAP);
}

export function Tour() {
  const at = tourAt.value;
  const step = at === null ? undefined : TOUR[at];
  return step ? <Card key={at} step={step} at={at!} /> : null;
}

function Card({ step, at }: { step: TourStep; at: number }) {
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  const [height, setHeight] = useState(CARD.height);
  const card = useRef<HTMLDivElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  const done = useSignal(false);
  const start = useRef(recipe.peek());
  useSignalEffect(() => {
    if (step.done?.(start.current)) done.value = true;
  });
  useEffect(() => {
    step.before?.();
    const look = (): void => {
      setAnchor((known) => {
        const found = anchorOf(step);
        return JSON.stringify(found) === JSON.stringify(known) ? known : found;
      });
      setHeight(card.current?.offsetHeight ?? CARD.height);
    };
    look();
    const timer = setInterval(look, LOOK_AGAIN_MS);
    // The keyboard goes along with the cards; a mouse is left where it is.
    next.current?.focus({ preventScroll: true });
    return () => clearInterval(timer);
  }, []);

  const last = at === TOUR.length - 1;
  const box = anchor?.box;
  const place = cardPlace(anchor, step, height);
  const go = (by: number): void => {
    if (at + by >= TOUR.length) endTour("done");
    else tourAt.value = Math.max(0, at + by);
  };
  return (
    <>
      {box && !step.inside && (
        <div class="pn-tour-ring" aria-hidden="true" style={{
          left: `${box.left - 4}px`, top: `${box.top - 4}px`, width: `${box.width + 8}px`, height: `${box.height + 8}px`,
        }} />
      )}
      <div ref={card} class="pn-tour" role="dialog" aria-modal="false" aria-label={`Tour, ${at + 1} of ${TOUR.length}: ${step.title}`} data-testid="tour"
        style={{ left: `${place.left}px`, top: `${place.top}px`, width: `${CARD.width}px` }}
        onKeyDown={(event) => {
          if (event.key === "Escape") endTour("skipped");
          else if (event.key === "ArrowRight") go(1);
          else if (event.key === "ArrowLeft") go(-1);
          else return;
          event.stopPropagation();
        }}>
        <div class="pn-tour-head">
          <strong>{step.title}</strong>
          {done.value && <span class="pn-good" data-testid="tour-done"><Icon name="check" size={14} /> done</span>}
          <button type="button" class="quiet small icon" aria-label="End the tour" data-testid="tour-skip" onClick={() => endTour("skipped")}><Icon name="close" size={12} /></button>
        </div>
        <p aria-live="polite">{step.text}</p>
        <div class="pn-tour-foot">
          <span class="pn-faint">{at + 1} of {TOUR.length}</span>
          <span class="pn-space" />
          {at > 0 && <button type="button" class="small" data-testid="tour-back" onClick={() => go(-1)}>Back</button>}
          <button type="button" ref={next} class={`small ${done.value || !step.done ? "primary" : ""}`} data-testid="tour-next" onClick={() => go(1)}>
            {last ? "Finish" : "Next"}
          </button>
        </div>
      </div>
    </>
  );
}
