// The timeline: playback, a ruler to scrub, and lanes of contacts, constraints, stages and events.

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { frame, playing, speed } from "../store";
import { ConstraintLanes } from "./constraint_lanes";
import { ContactLanes } from "./contact_lanes";
import { EventsLane } from "./events_lane";
import { listenForGestures, pan } from "./gestures";
import { Menu } from "./menu";
import { scrubbing } from "./playback";
import { labelStep, Ruler, scrub } from "./ruler";
import { ScrollStrip } from "./scroll_strip";
import { StageLane } from "./stage_lane";
import { Tip } from "./tip";
import { Transport } from "./transport";
import { measureFrom, origin, pixels, trackWidth, turnPage } from "./view";
import "./timeline.css";

export * from "./playback";
export { fit, zoomBy } from "./view";
export { removeSelected, splitSelected, toggleSelected } from "./touch_state";

/** Zoom and pan reach bars, ruler and lines as CSS variables: nothing has to be drawn anew. */
function useLayout(area: preact.RefObject<HTMLDivElement>, overlay: preact.RefObject<HTMLDivElement>): void {
  useEffect(() => {
    const [outer, inner] = [area.current, overlay.current];
    if (!outer || !inner) return;
    measureFrom(inner);
    const observer = new ResizeObserver(() => (trackWidth.value = Math.max(50, inner.clientWidth)));
    observer.observe(inner);
    const style = effect(() => {
      outer.style.setProperty("--tl-frame", `${pixels.value}px`);
      outer.style.setProperty("--tl-shift", `${-origin.value * pixels.value}px`);
      outer.style.setProperty("--tl-major", `${pixels.value * labelStep.value}px`);
    });
    const stop = listenForGestures(outer);
    return () => {
      observer.disconnect();
      style();
      stop();
      measureFrom(null);
    };
  }, []);
}

/** The line of the cursor and its head on the ruler. */
function useCursor(elements: preact.RefObject<HTMLDivElement>[]): void {
  useEffect(() => {
    const place = effect(() => {
      const x = (frame.value - origin.value) * pixels.value;
      for (const each of elements) if (each.current) each.current.style.transform = `translateX(${x}px)`;
    });
    const follow = effect(() => {
      const at = frame.value;
      if (!scrubbing.peek()) turnPage(at, playing.peek() && speed.peek() < 0);
    });
    return () => {
      place();
      follow();
    };
  }, []);
}

export function Timeline() {
  const area = useRef<HTMLDivElement>(null);
  const overlay = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  useLayout(area, overlay);
  useCursor([line, head]);

  const onDown = (event: PointerEvent): void => {
    const target = event.target as Element;
    if (event.button === 1) {
      event.preventDefault();
      pan(event);
    } else if (event.button === 0 && target.closest(".tl-track") && !target.closest("[data-grab]")) scrub(event);
  };
  return (
    <section class="tl-root" aria-label="Timeline" data-testid="timeline">
      <Transport />
      <div class="tl-area" ref={area} onPointerDown={onDown}>
        <div class="tl-content">
          <div class="tl-row tl-ruler-row">
            <div class="tl-label tl-corner" aria-hidden="true"><span>frames</span><span>seconds</span></div>
            <Ruler />
            <div class="tl-overlay"><div class="tl-head" ref={head} /></div>
          </div>
          <EventsLane />
          <StageLane />
          <ContactLanes />
          <ConstraintLanes />
          <div class="tl-row tl-rest-row"><div class="tl-label" /><div class="tl-track" /></div>
          <div class="tl-overlay" ref={overlay}><div class="tl-line" ref={line} /></div>
        </div>
      </div>
      <ScrollStrip />
      <Tip />
      <Menu />
    </section>
  );
}
