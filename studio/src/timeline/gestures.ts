// Wheel, middle button and two fingers: zoom and pan of the lanes.

import { cancelDrags, startDrag } from "./pointer";
import { origin, panBy, panTo, pixels, xToFrame, zoom, zoomBy, zoomTo } from "./view";

const LINE_PX = 16;

/** Listens on the element that scrolls; returns how to stop. */
export function listenForGestures(area: HTMLElement): () => void {
  const stops = [wheel(area), pinch(area)];
  return () => stops.forEach((stop) => stop());
}

function wheel(area: HTMLElement): () => void {
  const onWheel = (event: WheelEvent): void => {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    if (event.ctrlKey || event.metaKey) {
      // Pinching on a touchpad comes as this, too, in small steps.
      event.preventDefault();
      zoomBy(Math.exp(-Math.max(-60, Math.min(60, dy)) * 0.006), event.clientX);
      return;
    }
    const onRuler = (event.target as Element).closest(".tl-ruler") !== null;
    const scrolls = area.scrollHeight > area.clientHeight + 1 && !onRuler;
    const by = event.shiftKey ? dx || dy : Math.abs(dx) > Math.abs(dy) ? dx : scrolls ? 0 : dy;
    // More lanes than fit: a plain wheel goes through them, as everywhere else.
    if (by === 0) return;
    event.preventDefault();
    panBy(by);
  };
  area.addEventListener("wheel", onWheel, { passive: false });
  return () => area.removeEventListener("wheel", onWheel);
}

/** Drag with the middle button. */
export function pan(down: PointerEvent): void {
  const start = origin.peek();
  startDrag(down, { move: (event) => panTo(start - (event.clientX - down.clientX) / pixels.peek()) });
}

function pinch(area: HTMLElement): () => void {
  const fingers = new Map<number, number>();
  let apart = 0;
  let zoomed = 1;
  let fixed = 0;
  const spread = (): [number, number] => {
    const [a = 0, b = 0] = [...fingers.values()];
    return [Math.max(10, Math.abs(a - b)), (a + b) / 2];
  };
  const onDown = (event: PointerEvent): void => {
    if (event.pointerType !== "touch") return;
    fingers.set(event.pointerId, event.clientX);
    if (fingers.size !== 2) return;
    cancelDrags();
    const [distance, middle] = spread();
    [apart, zoomed, fixed] = [distance, zoom.peek(), xToFrame(middle)];
  };
  const onMove = (event: PointerEvent): void => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event.clientX);
    if (fingers.size !== 2) return;
    const [distance, middle] = spread();
    zoomTo((zoomed * distance) / apart, middle);
    panTo(origin.peek() + fixed - xToFrame(middle));
  };
  const onUp = (event: PointerEvent): void => void fingers.delete(event.pointerId);
  area.addEventListener("pointerdown", onDown, true);
  area.addEventListener("pointermove", onMove);
  for (const end of ["pointerup", "pointercancel"] as const) window.addEventListener(end, onUp);
  return () => {
    area.removeEventListener("pointerdown", onDown, true);
    area.removeEventListener("pointermove", onMove);
    for (const end of ["pointerup", "pointercancel"] as const) window.removeEventListener(end, onUp);
  };
}
