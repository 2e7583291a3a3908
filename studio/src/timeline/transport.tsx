// Buttons of playback, the cursor's frame and time, and zoom.

import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { frame, loop, playing, playRange, rate, speed } from "../store";
import {
  chooseSpeed, goTo, nextKeyEvent, playPause, previousKeyEvent, SPEEDS, step, toEnd, toggleLoop, toStart, wholeRange,
} from "./playback";
import { timeText } from "./ruler";
import { fit, mostZoom, playFrames, zoom, zoomBy, zoomTo } from "./view";

const ICONS = {
  start: "M3 3h2v10H3zM13 3v10L6 8z",
  end: "M11 3h2v10h-2zM3 3v10l7-5z",
  back: "M8 3v10L2 8zM11 3h2v10h-2z",
  forward: "M8 3v10l6-5zM3 3h2v10H3z",
  play: "M4 2.5v11L13.5 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  loop: "M4 4h7V1.5L15 5l-4 3.5V6H4v3H2V6a2 2 0 0 1 2-2zM12 12H5v2.5L1 11l4-3.5V10h7V7h2v3a2 2 0 0 1-2 2z",
  before: "M2 8l5-4v8zM12 4.5 15.5 8 12 11.5 8.5 8z",
  after: "M14 8 9 4v8zM4 4.5 7.5 8 4 11.5.5 8z",
};

function Icon({ name }: { name: keyof typeof ICONS }) {
  return <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path fill="currentColor" d={ICONS[name]} /></svg>;
}

function Button(
  { name, icon, keys, testid, pressed, onClick }:
  { name: string; icon: keyof typeof ICONS; keys?: string; testid: string; pressed?: boolean; onClick(): void },
) {
  return (
    <button type="button" class="tl-button" aria-label={name} aria-pressed={pressed} data-testid={testid}
      title={keys ? `${name} (${keys})` : name} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

/** The frame number and the time: written straight into the page, as they change with every picture. */
function Where() {
  const input = useRef<HTMLInputElement>(null);
  const time = useRef<HTMLSpanElement>(null);
  useEffect(() => effect(() => {
    const at = String(Math.round(frame.value));
    // The time below depends on these, too.
    playFrames.value;
    rate.value;
    // What somebody is typing is theirs.
    if (input.current && !(document.activeElement === input.current && !playing.peek() && Number(input.current.value) === Number(at)))
      input.current.value = at;
    if (time.current) time.current.textContent = timeText();
  }), []);
  const onInput: JSX.GenericEventHandler<HTMLInputElement> = (event) => {
    const text = event.currentTarget.value.trim();
    const wanted = Number(text);
    if (text === "" || !Number.isFinite(wanted)) return;
    playing.value = false;
    const inside = Math.max(0, Math.min(Math.round(wanted), playFrames.peek() - 1));
    goTo(inside);
    if (inside !== wanted && event.type === "change") event.currentTarget.value = String(inside);
  };
  return (
    <span class="tl-where">
      <label>
        <span class="tl-word tl-wide">Frame</span>
        <input ref={input} type="number" class="tl-frame-input" data-testid="tl-frame-input" aria-label="frame"
          min={0} max={Math.max(0, playFrames.value - 1)} step={1} onInput={onInput} onChange={onInput}
          onBlur={(event) => (event.currentTarget.value = String(Math.round(frame.peek())))}
          onKeyDown={(event) => {
            if (event.key === "Enter" || event.key === "Escape") event.currentTarget.blur();
            event.stopPropagation();
          }} />
      </label>
      <span class="tl-of tl-wide">of {Math.max(0, playFrames.value - 1)}</span>
      <span ref={time} class="tl-time" data-testid="tl-time" />
    </span>
  );
}

function Speed() {
  const now = Math.abs(speed.value);
  const all = SPEEDS.includes(now) ? SPEEDS : [...SPEEDS, now].sort((a, b) => a - b);
  return (
    <label class="tl-speed">
      <span class="tl-word tl-wide">Speed</span>
      <select data-testid="tl-speed" aria-label="speed of playback" value={String(now)}
        onChange={(event) => chooseSpeed(Number(event.currentTarget.value))}>
        {all.map((each) => <option key={each} value={String(each)}>{each}×</option>)}
      </select>
      {speed.value < 0 && playing.value && <span class="tl-word">backwards</span>}
    </label>
  );
}

const FINE = 1000;

function Zoom() {
  const most = Math.log(Math.max(1.001, mostZoom.value));
  const now = Math.log(Math.max(1, Math.min(zoom.value, mostZoom.value))) / most;
  return (
    <span class="tl-zoom" role="group" aria-label="zoom of the timeline">
      <button type="button" class="tl-button" aria-label="zoom out" title="Zoom out (Ctrl+wheel)" data-testid="tl-zoom-out" onClick={() => zoomBy(1 / 1.5)}>−</button>
      <input type="range" aria-label="zoom" data-testid="tl-zoom" min={0} max={FINE} value={Math.round(FINE * now)}
        onInput={(event) => zoomTo(Math.exp((most * Number(event.currentTarget.value)) / FINE))} />
      <button type="button" class="tl-button" aria-label="zoom in" title="Zoom in (Ctrl+wheel)" data-testid="tl-zoom-in" onClick={() => zoomBy(1.5)}>+</button>
      <button type="button" class="tl-button tl-text-button" data-testid="tl-fit" title="Show the whole clip" onClick={fit}>Fit</button>
    </span>
  );
}

export function Transport() {
  return (
    <div class="tl-transport-box">
      <div class="tl-transport" role="toolbar" aria-label="playback">
        <Button name="to the start" icon="start" keys="Home" testid="tl-start" onClick={toStart} />
        <Button name="previous event" icon="before" testid="tl-previous" onClick={previousKeyEvent} />
        <Button name="one frame back" icon="back" keys="←" testid="tl-back" onClick={() => step(-1)} />
        <Button name={playing.value ? "pause" : "play"} icon={playing.value ? "pause" : "play"} keys="Space" testid="tl-play" onClick={playPause} />
        <Button name="one frame on" icon="forward" keys="→" testid="tl-forward" onClick={() => step(1)} />
        <Button name="next event" icon="after" testid="tl-next" onClick={nextKeyEvent} />
        <Button name="to the end" icon="end" keys="End" testid="tl-end" onClick={toEnd} />
        <Button name="loop" icon="loop" testid="tl-loop" pressed={loop.value} onClick={toggleLoop} />
        <Speed />
        <Where />
        {playRange.value && (
          <button type="button" class="tl-button tl-text-button" data-testid="tl-range-clear" onClick={wholeRange}
            title="Play the whole clip again">Range {playRange.value[0]} to {playRange.value[1]} ✕</button>
        )}
        <span class="tl-gap" />
        <Zoom />
      </div>
    </div>
  );
}
