// Frames in which something happens: for the row of ticks, and to jump to.

import { computed } from "@preact/signals";
import { contactSource, touches } from "./touch_state";
import { pointWord } from "./timing";
import { playFrames } from "./view";
import { stages, timedWishes } from "./wish_state";
import { partName } from "./words";

export interface KeyEvent {
  frame: number;
  kind: "on" | "off" | "apex" | "stage" | "point" | "edge";
  text: string;
}

/** Stretches in which nothing touches: the stages of a leap if there are any, else from the bars. */
const flights = computed<[number, number][]>(() => {
  const known = stages.value.filter((each) => each.name === "flight");
  if (known.length > 0) return known.map((each) => [each.first, each.last]);
  const count = playFrames.value;
  const touched = new Uint8Array(count);
  for (const each of touches.value) touched.fill(1, each.first, each.last + 1);
  const found: [number, number][] = [];
  let start = -1;
  for (let f = 0; f < count; f += 1) {
    if (touched[f]) {
      // A clip that begins in the air has no take-off that could be known.
      if (start > 0) found.push([start, f - 1]);
      start = -1;
    } else if (start < 0) start = f;
  }
  return found;
});

/** Height of the centre of mass, frame by frame. */
export const comHeights = computed<Float32Array | null>(() => {
  const com = contactSource.value?.arrays.com_m;
  if (!com) return null;
  return Float32Array.from({ length: com.length / 3 }, (_, f) => com[3 * f + 1]!);
});

function apexes(): KeyEvent[] {
  const heights = comHeights.value;
  if (!heights || touches.value.length === 0) return [];
  return flights.value.map(([first, last]) => {
    let top = first;
    for (let f = first; f <= Math.min(last, heights.length - 1); f += 1)
      if (heights[f]! > heights[top]!) top = f;
    return { frame: top, kind: "apex", text: `highest point of a flight, ${heights[top]?.toFixed(2)} m` };
  });
}

/** All of them in order of time; the row leaves out plain edges. */
export const keyEvents = computed<KeyEvent[]>(() => {
  const found: KeyEvent[] = [...apexes()];
  for (const each of touches.value) {
    found.push({ frame: each.first, kind: "on", text: `${partName(each.part)} touches` });
    found.push({ frame: each.last, kind: "off", text: `${partName(each.part)} touches for the last time` });
  }
  for (const each of stages.value) found.push({ frame: each.first, kind: "stage", text: `${each.name} begins` });
  for (const { timing, name, wish } of timedWishes.value) {
    if (timing.kind === "moment") found.push({ frame: timing.first, kind: "point", text: name });
    if (timing.kind === "interval") {
      for (const each of timing.through) found.push({ frame: each.frame, kind: "point", text: `${name} ${pointWord(wish)}` });
      found.push({ frame: timing.first, kind: "edge", text: `${name} begins` });
      found.push({ frame: timing.last, kind: "edge", text: `${name} ends` });
    }
  }
  return found
    .filter((each) => each.frame >= 0 && each.frame < Math.max(1, playFrames.value))
    .sort((a, b) => a.frame - b.frame);
});
