// Bins for values of many clips: round edges, on a log axis where the spread asks for it.

import { ticks, type Tick } from "./axes";
import { number } from "./words";

/** About how many. */
const BINS = 36;
/** On a log axis, what is smaller counts as next to nothing. */
export const LEAST_SHOWN = 1e-3;
/** So many times the median at the top, or between the tenths at both ends, ask for a log axis. */
const PEAK_TIMES = 12;
const SPREAD_TIMES = 30;
const MOST_PER_DECADE = 12;
/** A smallest value so many times below the first hundredth does not stretch the axis. */
const FAR_BELOW = 30;
/** Of the largest value: closer ones are not spread out further. */
const LEAST_SPAN = 0.02;

/** Half-open bins from one edge to the next; the last edge lies beyond all values. */
export interface Bins {
  edges: number[];
  log: boolean;
  /** Whether a bin of its own takes all below the first edge; on a log axis only. */
  rest: boolean;
}

/** Bins that hold all values; where these are the same, the axis reaches as far as `include`. */
export function binsFor(values: number[], include: number, mayBeLog: boolean): Bins {
  const sorted = Float64Array.from(values).sort();
  const shown = sorted.filter((value) => value >= LEAST_SHOWN);
  const [least, most] = sorted.length ? [sorted[0]!, sorted[sorted.length - 1]!] : [0, 0];
  if (mayBeLog && shown.length && least >= 0 && (most > PEAK_TIMES * quantile(shown, 0.5) || quantile(shown, 0.9) > SPREAD_TIMES * quantile(shown, 0.1))) {
    const usual = quantile(shown, 0.01);
    const low = roundBelow(shown[0]! * FAR_BELOW > usual ? shown[0]! : usual);
    const perDecade = Math.min(BINS / Math.max(Math.log10(most / low), 0.1), MOST_PER_DECADE);
    const edges = [low];
    while (edges[edges.length - 1]! <= most) edges.push(Number((low * 10 ** (edges.length / perDecade)).toPrecision(3)));
    return { edges, log: true, rest: least < low };
  }
  let [low, high] = [least, most];
  if (low === high && Number.isFinite(include)) [low, high] = [Math.min(low, include), Math.max(high, include)];
  if (low >= 0 && low < 0.5 * high) low = 0;
  const step = roundStep(Math.max(high - low, LEAST_SPAN * Math.max(Math.abs(low), Math.abs(high)), LEAST_SHOWN) / BINS);
  let [first, last] = [Math.floor(low / step + 1e-9), Math.floor(high / step + 1e-9) + 1];
  if (last - first < BINS / 2) {
    // All values are (nearly) the same: some room on both sides.
    [first, last] = [first - BINS / 4, last + BINS / 4];
    if (least >= 0) first = Math.max(first, 0);
  }
  const decimals = Math.max(0, -Math.floor(Math.log10(step)) + 1);
  return { edges: Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * step).toFixed(Math.min(decimals, 100)))), log: false, rest: false };
}

/** How many values each bin has; the first is that below the first edge, if there is one. */
export function countsOf({ edges, rest }: Bins, values: number[]): number[] {
  const counts = new Array<number>(edges.length - (rest ? 0 : 1)).fill(0);
  for (const value of values) {
    let [low, high] = [0, edges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (edges[middle]! <= value) low = middle + 1;
      else high = middle;
    }
    counts[low - (rest ? 0 : 1)]! += 1;
  }
  return counts;
}

/** Where a value lies, from 0 at the first edge to 1 at the last; below 0 if before it. */
export function placeIn({ edges, log }: Bins, value: number): number {
  const [first, last] = [edges[0]!, edges[edges.length - 1]!];
  if (!log) return (value - first) / (last - first);
  return value < first * (1 - 1e-9) ? -1 : Math.max(0, Math.log(value / first) / Math.log(last / first));
}

/** Round numbers along the axis, without the bin below the first edge. */
export function binTicks({ edges, log }: Bins): Tick[] {
  const [first, last] = [edges[0]!, edges[edges.length - 1]!];
  if (!log) return ticks([first, last], 6);
  const [low, high] = [Math.ceil(Math.log10(first) - 1e-9), Math.floor(Math.log10(last) + 1e-9)];
  const steps = high - low >= 3 ? [1] : high - low === 2 ? [1, 3] : [1, 2, 5];
  const found: Tick[] = [];
  for (let k = low - 1; k <= high; k += 1) {
    for (const value of steps.map((m) => Number(`${m}e${k}`))) {
      if (first * (1 - 1e-9) <= value && value <= last * (1 + 1e-9)) found.push([value, value >= 1e3 && value < 1e7 ? number(value) : edgeWords(value)]);
    }
  }
  return found;
}

export const edgeWords = (value: number): string => String(Number(value.toPrecision(6))).replace("-", "−").replace("e+", "e");

function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)]!;
  return low + (at - Math.floor(at)) * (sorted[Math.ceil(at)]! - low);
}

/** The next smaller of 1, 2 and 5 times a power of ten. */
function roundBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
  return Number(([5, 2, 1].find((m) => m * power <= value * (1 + 1e-9))! * power).toPrecision(3));
}

function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 2.5, 5, 10].find((m) => m * power >= least * (1 - 1e-9))! * power;
}
