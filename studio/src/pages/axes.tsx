// The frame of a chart: axes with round numbers. All charts are drawn in one size and scaled by the page.

import type { Ends, Values } from "./content";

export const WIDTH = 440;
export const FONT = 13;
export const TOP = 25;
const LEFT = 48;
const RIGHT = 10;
const BOTTOM = 44;

export type Tick = [value: number, label: string];

/** A rectangle of the picture and the values at its sides. */
export class Frame {
  readonly top = TOP;
  readonly right: number;
  readonly bottom: number;
  readonly height: number;
  constructor(readonly ends: Ends, readonly levels: Ends, readonly width: number, tall: number, readonly left = LEFT) {
    this.height = TOP + tall + BOTTOM;
    this.right = width - RIGHT;
    this.bottom = TOP + tall;
  }
  x(value: number | null): number {
    return value === null ? NaN : this.left + ((value - this.ends[0]) * (this.right - this.left)) / (this.ends[1] - this.ends[0]);
  }
  y(value: number | null): number {
    return value === null ? NaN : this.bottom - ((value - this.levels[0]) * (this.bottom - this.top)) / (this.levels[1] - this.levels[0]);
  }
  get yTicks(): Tick[] {
    return ticks(this.levels, Math.max(2, Math.round((this.bottom - this.top) / 36)));
  }
  /** The same with room for its numbers. */
  static fitted(make: (left: number) => Frame): Frame {
    const first = make(LEFT);
    const needed = Math.max(0, ...first.yTicks.map(([, label]) => widthOf(label))) + 8;
    return needed > LEFT ? make(Math.min(needed, 0.5 * first.width)) : first;
  }
}

/** A frame in which a unit is as long upwards as sideways, with room around all points. */
export function mapFrame(points: Ends[], width: number, tall: (ratio: number, free: number) => number, room = 1.16, least = 0): Frame {
  const found = points.length ? points : [[0, 0] as Ends];
  const [[x0, x1], [y0, y1]] = [endsOf(found.map((p) => p[0])), endsOf(found.map((p) => p[1]))];
  const whole = Math.max(x1 - x0, y1 - y0);
  const size = Math.max(...found.flat().map(Math.abs));
  const spans = [x1 - x0, y1 - y0].map((span) => Math.max(whole > 1e-9 * size ? room * Math.max(span, 1e-3 * whole) : 1, least)) as Ends;
  return Frame.fitted((left) => {
    const free = width - left - RIGHT;
    const high = tall(spans[1] / spans[0], free);
    const perPx = Math.max(spans[0] / free, spans[1] / high);
    const around = (low: number, top: number, px: number): Ends => [(low + top - px * perPx) / 2, (low + top + px * perPx) / 2];
    return new Frame(around(x0, x1, free), around(y0, y1, high), width, high, left);
  });
}

function endsOf(values: number[]): Ends {
  return values.reduce<Ends>(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

/** Ends of an axis that shows all values with some room; one that was asked for (a zero line) stays where it is. */
export function rangeOf(rows: Values[], include: number[]): Ends {
  const [low, high] = endsOf([...rows.flatMap((row) => row.filter((v): v is number => v !== null)), ...include]);
  if (low > high) return [0, 1];
  const span = high - low;
  if (span <= 1e-12 * Math.max(Math.abs(low), Math.abs(high), 1)) {
    const room = Math.max(0.1 * Math.abs(low), 0.5);
    return [low - room, high + room];
  }
  return [include.includes(low) ? low : low - 0.06 * span, include.includes(high) ? high : high + 0.06 * span];
}

/** Multiples of 1, 2 or 5 times a power of ten between two ends, about so many. */
export function ticks([low, high]: Ends, wanted: number): Tick[] {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).reduce((a, b) => (Math.abs(b - rough) < Math.abs(a - rough) ? b : a));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found: Tick[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= Math.floor(high / step + 1e-9); k += 1) {
    // A minus sign, not a hyphen; and zero has none.
    found.push([k * step, (k * step + 0).toFixed(decimals).replace("-", k ? "−" : "")]);
  }
  return found;
}

const pen = document.createElement("canvas").getContext("2d");

export function widthOf(words: string): number {
  if (!pen) return 0.6 * FONT * words.length;
  pen.font = `${FONT}px ${getComputedStyle(document.body).fontFamily}`;
  return 1.02 * pen.measureText(words).width;
}

/** A name without its middle: the ends tell takes of one session apart. */
export function shortened(words: string, most: number): string {
  return words.length <= most ? words : `${words.slice(0, most >> 1)}…${words.slice(words.length - (most - 1 - (most >> 1)))}`;
}

/** Numbers below an axis that do not touch. */
export function TicksBelow({ marks, y, most, from = -Infinity }: { marks: [x: number, label: string][]; y: number; most: number; from?: number }) {
  let taken = from;
  return marks.map(([x, label]) => {
    const half = widthOf(label) / 2;
    const middle = Math.min(x, most - half);
    if (middle - half <= taken) return null;
    taken = middle + half + 6;
    return <text class="tick" x={middle} y={y} text-anchor="middle">{label}</text>;
  });
}

/** Grid, marks and both axis labels. */
export function Axes({ frame, x, y, levels = true }: { frame: Frame; x: string; y: string; levels?: boolean }) {
  const { left, right, top, bottom } = frame;
  const wide = Math.max(...frame.ends.map((end) => end.toFixed(1).length)) + 3;
  const across = ticks(frame.ends, Math.max(2, Math.min(8, Math.floor((right - left) / (0.56 * FONT * wide)))));
  return (
    <>
      <path class="grid" d={across.map(([value]) => `M${frame.x(value)} ${top}V${bottom}`).join("")} />
      <TicksBelow marks={across.map(([value, label]) => [frame.x(value), label])} y={bottom + 17} most={frame.width} />
      {levels && frame.yTicks.map(([value, label]) => (
        <>
          <path class={value ? "grid" : "grid zero"} d={`M${left} ${frame.y(value)}H${right}`} />
          <text class="tick" x={left - 5} y={frame.y(value) + 4} text-anchor="end">{label}</text>
        </>
      ))}
      <text class="axis" x={(left + right) / 2} y={frame.height - 6} text-anchor="middle">{x}</text>
      <text class="axis" x="2" y="13">{y}</text>
    </>
  );
}
