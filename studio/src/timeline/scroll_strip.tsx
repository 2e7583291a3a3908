// Which part of the clip is in sight when not all of it is; dragged to see another.

import { startDrag } from "./pointer";
import { laneFrames, origin, panTo, span, trackWidth } from "./view";

const SHOWN_BELOW = 0.999;

export function ScrollStrip() {
  const count = laneFrames.value;
  const share = Math.min(1, span.value / count);
  if (share >= SHOWN_BELOW) return null;
  const first = Math.max(0, Math.min(1 - share, (origin.value + 0.5) / count));
  const onDown = (down: PointerEvent): void => {
    if (down.button !== 0) return;
    down.stopPropagation();
    const strip = (down.currentTarget as HTMLElement).getBoundingClientRect();
    const at = (event: PointerEvent): number => ((event.clientX - strip.left) / trackWidth.peek()) * count;
    // A press beside the thumb brings its middle there.
    const from = origin.peek(), pressed = at(down);
    const hold = pressed >= from && pressed <= from + span.peek() ? pressed - from : span.peek() / 2;
    startDrag(down, { atOnce: true, move: (event) => panTo(at(event) - hold) });
  };
  return (
    <div class="tl-strip" data-testid="tl-strip" aria-hidden="true" onPointerDown={onDown}>
      <div class="tl-thumb" style={{ left: `${100 * first}%`, width: `${100 * share}%` }} />
    </div>
  );
}
