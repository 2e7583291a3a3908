// The ruler: frames above, seconds below, the range of playback, and the cursor's head.

import { computed } from "@preact/signals";
import { frame, playRange, rate } from "../store";
import { across, leftOf } from "./bar";
import { openMenu } from "./menu";
import { startDrag } from "./pointer";
import { goTo, playBounds, putRange, rangeFromHere, rangeToHere, scrubbing, wholeRange } from "./playback";
import { hideTip, showTip } from "./tip";
import { bringIntoSight, laneFrames, origin, pixels, playFrames, span, xToFrame } from "./view";
import { framesAndSeconds, seconds } from "./words";

const LABEL_PX = 56;
const MINOR_PX = 7;
const FRAME_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
const SECOND_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

function stepOf(steps: number[], unitPx: number, least: number): number {
  return steps.find((each) => each * unitPx >= least) ?? steps.at(-1)!;
}

/** Frames from one label to the next; the lanes have lines there, too. */
export const labelStep = computed(() => stepOf(FRAME_STEPS, pixels.value, LABEL_PX));
export const tickStep = computed(() => stepOf(FRAME_STEPS, pixels.value, MINOR_PX));

/** Numbers to write: multiples of a step that are in sight, in units of so many frames. */
function marks(step: number, unit: number): number[] {
  const from = Math.max(0, Math.floor(origin.value / unit / step));
  const to = Math.floor(Math.min(laneFrames.value - 1, origin.value + span.value) / unit / step + 1e-9);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => (from + i) * step);
}

/** The cursor follows the pointer until it is let go; playback waits meanwhile. */
export function scrub(down: PointerEvent): void {
  scrubbing.value = true;
  const done = (): void => {
    scrubbing.value = false;
    hideTip();
  };
  startDrag(down, {
    atOnce: true,
    move: (event) => {
      goTo(xToFrame(event.clientX));
      bringIntoSight(frame.peek());
      showTip(event, framesAndSeconds(frame.peek(), frame.peek(), rate.peek()));
    },
    end: done,
    cancel: done,
  });
}

function RangeHandle({ side }: { side: 0 | 1 }) {
  const [first, last] = playRange.value ?? [0, Math.max(0, playFrames.value - 1)];
  const at = side === 0 ? first : last;
  const word = side === 0 ? "start" : "end";
  const put = (to: number): void => {
    const [low, high] = playBounds();
    const whole = Math.round(to);
    if (side === 0) putRange(Math.min(whole, high), high);
    else putRange(low, Math.max(whole, low));
  };
  return (
    <span
      class={`tl-range-handle tl-range-${word}`} role="slider" tabIndex={0} data-grab data-testid={`tl-range-${word}`}
      aria-label={`${word} of the playback range`} aria-valuenow={at} aria-valuemin={0} aria-valuemax={playFrames.value - 1}
      style={{ left: leftOf(side === 0 ? at - 0.5 : at + 0.5) }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.stopPropagation();
        startDrag(event, {
          move: (moved) => {
            put(xToFrame(moved.clientX));
            const [low, high] = playBounds();
            showTip(moved, `plays ${framesAndSeconds(low, high, rate.peek())}`);
          },
          end: hideTip,
          cancel: hideTip,
        });
      }}
      onKeyDown={(event) => {
        const sign = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!sign || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        event.stopPropagation();
        put(at + sign * (event.shiftKey ? 10 : 1));
      }}
    />
  );
}

function grabRange(down: PointerEvent): void {
  if (down.button !== 0 || !playRange.peek()) return;
  down.stopPropagation();
  const [first, last] = playBounds();
  const from = xToFrame(down.clientX);
  startDrag(down, {
    move: (event) => {
      const most = playFrames.peek() - 1 - last;
      const by = Math.max(-first, Math.min(most, Math.round(xToFrame(event.clientX) - from)));
      putRange(first + by, last + by);
    },
  });
}

export function Ruler() {
  const perSecond = rate.value;
  const secondStep = stepOf(SECOND_STEPS, pixels.value * perSecond, LABEL_PX);
  const digits = secondStep < 1 ? 1 : 0;
  const range = playRange.value;
  const [first, last] = range ?? [0, Math.max(0, playFrames.value - 1)];
  return (
    <div
      class="tl-track tl-ruler" data-testid="tl-ruler"
      style={{ "--tl-minor": `calc(var(--tl-frame) * ${tickStep.value})` }}
      onContextMenu={(event) => {
        const at = Math.max(0, Math.min(playFrames.peek() - 1, Math.round(xToFrame(event.clientX))));
        openMenu(event, [
          { text: `Play from here (${at})`, act: () => rangeFromHere(at) },
          { text: `Play up to here (${at})`, act: () => rangeToHere(at) },
          { text: "Play the whole clip", off: !playRange.peek(), act: wholeRange },
        ]);
      }}
    >
      <div
        class={`tl-range${range ? " tl-range-set" : ""}`} style={across(first, last)} data-testid="tl-range"
        onPointerDown={grabRange} onDblClick={wholeRange}
      />
      {marks(labelStep.value, 1).map((each) => (
        <span key={each} class="tl-mark" style={{ left: leftOf(each) }}>{each}</span>
      ))}
      {marks(secondStep, perSecond).map((each) => (
        <span key={`s${each}`} class="tl-mark tl-mark-second" style={{ left: leftOf(each * perSecond) }}>
          {each.toFixed(digits)} s
        </span>
      ))}
      <RangeHandle side={0} />
      <RangeHandle side={1} />
    </div>
  );
}

/** "1.20 / 4.00 s" */
export function timeText(): string {
  const end = Math.max(0, playFrames.peek() - 1);
  return `${seconds(frame.peek(), rate.peek())} / ${seconds(end, rate.peek())} s`;
}
