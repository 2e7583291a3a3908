// Leaping on and on with the keys: each leap asks for the next one when it ends.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { endDrag, frame, motions, nextNumber, openStep, playing, recipe, send } from "../store";
import { contentOf } from "../recipe";
import { familyNow } from "./blend_pad";
import { Section } from "./controls";

const WAYS: Record<string, "up" | "down" | "left" | "right"> = {
  ArrowUp: "up", KeyW: "up", ArrowDown: "down", KeyS: "down", ArrowLeft: "left", KeyA: "left", ArrowRight: "right", KeyD: "right",
};
const SAYS = { up: "Leap forward", down: "Leap back", left: "Leap left", right: "Leap right" };
const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" };

export function LeapController() {
  const now = recipe.value;
  const two = now ? contentOf(now, openStep.value).settings?.two_leaps_m : null;
  return two != null && familyNow.value?.message.axes.length === 4 ? <Controller /> : null;
}

function Controller() {
  const pad = useRef<HTMLDivElement>(null);
  const held = useRef(new Set<string>());
  const tapped = useRef<string | null>(null);
  const going = useSignal(false);

  useEffect(() => {
    if (!going.value) return;
    playing.value = false;
    let asked = 0;
    let version = motions.peek().get("live")?.version ?? 0;
    let landed = true;
    let began = 0;
    let next = 0;
    const ask = () => {
      // A key that was let go before the leap was asked for counts all the same.
      const keys = held.current.size ? held.current : new Set(tapped.current ? [tapped.current] : []);
      tapped.current = null;
      const has = (way: string) => (keys.has(way) ? 1 : 0);
      asked = nextNumber();
      send({ kind: "steer_leap", forward: has("up") - has("down"), turn: has("left") - has("right"), number: asked });
    };
    const show = (time: number) => {
      next = requestAnimationFrame(show);
      const live = motions.peek().get("live");
      if (live && live.version !== version) {
        version = live.version;
        landed = false;
        began = time;
        asked = 0;
      }
      if (live && !landed) {
        const at = ((time - began) / 1000) * live.rate;
        frame.value = Math.min(at, live.frames - 1);
        landed = at >= live.frames - 1;
      }
      if (landed && !asked) ask();
    };
    next = requestAnimationFrame(show);
    const left = frame.peek();
    return () => {
      cancelAnimationFrame(next);
      endDrag();
      frame.value = left;
    };
  }, [going.value]);

  const light = () => {
    for (const button of pad.current?.querySelectorAll<HTMLElement>("[data-way]") ?? [])
      button.classList.toggle("ed-on", held.current.has(button.dataset.way!));
  };
  const press = (way: string, down: boolean) => {
    if (down) {
      held.current.add(way);
      tapped.current = way;
    } else held.current.delete(way);
    light();
  };
  return (
    <Section title="Leap with the keys" about="Hold the arrow keys or W, A, S, D; nothing held leaps on the spot. Space starts and stops.">
      <div
        ref={pad} class="ed-leaps" tabIndex={0} role="application" aria-label="Leap with the arrow keys" data-testid="leap-controller"
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          const way = WAYS[event.code];
          const space = event.code === "Space" && event.target === event.currentTarget;
          // A button that has the focus is pressed by it; nothing is to be played.
          if (event.code === "Space") event.stopPropagation();
          if (!way && !space) return;
          event.preventDefault();
          // The page's own keys for playback mean something else.
          event.stopPropagation();
          if (event.repeat) return;
          if (space) going.value = !going.value;
          else {
            going.value = true;
            press(way!, true);
          }
        }}
        onMouseDown={(event) => {
          // Clicked buttons leave the keys, Space among them, to all of it.
          event.preventDefault();
          pad.current?.focus({ preventScroll: true });
        }}
        onKeyUp={(event) => WAYS[event.code] && press(WAYS[event.code]!, false)}
        onBlur={(event) => {
          if (pad.current?.contains(event.relatedTarget as Node | null)) return;
          held.current.clear();
          going.value = false;
          light();
        }}
      >
        {(["up", "left", "right", "down"] as const).map((way) => (
          <button
            type="button" key={way} data-way={way} aria-label={SAYS[way]} class={`ed-leap-${way}`}
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              going.value = true;
              press(way, true);
            }}
            onPointerUp={() => press(way, false)} onPointerCancel={() => press(way, false)}
            onClick={(event) => {
              if (event.detail !== 0) return;
              going.value = true;
              tapped.current = way;
            }}
          >{ARROWS[way]}</button>
        ))}
        <button type="button" class="ed-leap-go" aria-pressed={going.value} aria-label={going.value ? "Stop leaping" : "Start leaping"}
          onClick={() => (going.value = !going.value)}>{going.value ? "■" : "▶"}</button>
      </div>
    </Section>
  );
}
