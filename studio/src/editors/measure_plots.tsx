// Curves over time: drawn once as paths; while playing only one line and two numbers change.

import { effect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { frame, playing, type measures } from "../store";
import type { Plot } from "../messages";
import { pathOf } from "../plots/path";
import { followPointer } from "./editing";

type Data = NonNullable<typeof measures.value>;

const HEIGHT = 64;
/** So many times what is usual. */
const SPIKE = 8;

export function MeasurePlots({ data }: { data: Data }) {
  const rows = data.message.plots.length;
  return (
    <div class="ed-plots">
      {data.message.plots.map((plot, i) => (
        <PlotOverTime key={`${plot.name} ${i}`} plot={plot} index={i} before={rowOf(data, "before", plot.row, rows)} after={rowOf(data, "after", plot.row, rows)} />
      ))}
    </div>
  );
}

const NOTHING = new Float32Array(0);

function rowOf(data: Data, which: "before" | "after", row: number, rows: number): Float32Array {
  const shape = data.message.arrays.find((each) => each.name === which)?.shape;
  const all = data.arrays[which] as Float32Array | undefined;
  if (!all) return NOTHING;
  const count = shape?.[1] ?? all.length / rows;
  return all.subarray(row * count, (row + 1) * count);
}

/** What a plot shows: zero and the limit too, where they are near; a rare spike goes over the top. */
function rangeOf(rows: Float32Array[], limit: number | null): [number, number] {
  const sorted = Float32Array.from(rows.flatMap((row) => Array.from(row).filter(Number.isFinite))).sort();
  if (!sorted.length) return [0, 1];
  let low = sorted[0]!;
  let high = sorted[sorted.length - 1]!;
  const usual = sorted[Math.floor(0.98 * (sorted.length - 1))]!;
  if (high > SPIKE * usual && usual > 0.005 * high) high = 2.5 * usual;
  if (limit !== null) [low, high] = [Math.min(low, limit), Math.max(high, limit)];
  else if (low > 0 && low < 0.5 * high) low = 0;
  const room = 0.05 * (high - low) || 0.5 * Math.abs(high) || 1;
  return [low === 0 ? 0 : low - room, high + room];
}

/** As many digits as the plot shows. */
function short(value: number | undefined, range: number): string {
  if (value === undefined || !Number.isFinite(value)) return "–";
  const digits = Math.max(0, Math.min(4, Math.ceil(2 - Math.log10(range))));
  return (Math.abs(value) < 0.5 * 10 ** -digits ? 0 : value).toFixed(digits);
}

function PlotOverTime({ plot, index, before, after }: { plot: Plot; index: number; before: Float32Array; after: Float32Array }) {
  const area = useRef<HTMLDivElement>(null);
  const cursor = useRef<HTMLDivElement>(null);
  const numbers = useRef<HTMLSpanElement>(null);
  const hover = useRef<HTMLDivElement>(null);
  const count = Math.max(before.length, after.length);
  const last = Math.max(1, count - 1);
  const [low, high] = useMemo(() => rangeOf([before, after], plot.limit), [before, after, plot.limit]);
  const y = (value: number) => HEIGHT * (1 - (value - low) / (high - low));
  const paths = useMemo(() => [pathOf(before, y), pathOf(after, y)], [before, after, low, high]);
  const values = (at: number): string => {
    const i = Math.max(0, Math.min(count - 1, Math.round(at)));
    return [before.length ? short(before[i], high - low) : "", after.length ? short(after[i], high - low) : ""].filter(Boolean).join(" → ");
  };

  useEffect(() => effect(() => {
    const at = Math.min(last, Math.max(0, frame.value));
    cursor.current!.style.left = `${(100 * at) / last}%`;
    numbers.current!.textContent = values(at);
    area.current!.setAttribute("aria-valuenow", String(Math.round(at)));
  }), [before, after, low, high]);

  const frameAt = (event: PointerEvent): number => {
    const box = area.current!.getBoundingClientRect();
    return Math.max(0, Math.min(last, Math.round(((event.clientX - box.left) / box.width) * last)));
  };
  const go = (to: number) => {
    playing.value = false;
    frame.value = Math.max(0, Math.min(last, to));
  };
  const point = (event: PointerEvent) => {
    const at = frameAt(event);
    hover.current!.style.left = `${(100 * at) / last}%`;
    hover.current!.firstElementChild!.textContent = `${at}: ${values(at)} ${plot.unit}`;
    hover.current!.classList.toggle("ed-far", at > last * 0.6);
  };
  return (
    <figure class="ed-plot">
      <figcaption><span>{plot.name}{plot.unit && <small> {plot.unit}</small>}</span><span ref={numbers} class="ed-now" /></figcaption>
      <div
        ref={area} class="ed-plot-area" data-testid={`plot-${index}`} tabIndex={0} role="slider" aria-label={`${plot.name} over time: frame`}
        aria-valuemin={0} aria-valuemax={last} style={{ height: HEIGHT }}
        onPointerDown={(event) => {
          followPointer(event, (e) => go(frameAt(e)), () => {});
          go(frameAt(event));
        }}
        onPointerMove={point} onPointerEnter={() => hover.current!.classList.add("ed-on")} onPointerLeave={() => hover.current!.classList.remove("ed-on")}
        onKeyDown={(event) => {
          const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };
          const step = steps[event.key];
          if (step === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          go(Math.round(frame.peek()) + step);
        }}
      >
        <svg viewBox={`0 0 ${last} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {low < 0 && high > 0 && <line class="ed-zero" x1="0" x2={last} y1={y(0)} y2={y(0)} />}
          {plot.limit !== null && <line class="ed-limit" x1="0" x2={last} y1={y(plot.limit)} y2={y(plot.limit)} />}
          <path class="ed-of-before" d={paths[0]} />
          <path class="ed-of-after" d={paths[1]} />
        </svg>
        <div ref={cursor} class="ed-plot-cursor" />
        <div ref={hover} class="ed-hover"><span /></div>
        <small class="ed-top">{short(high, high - low)}</small>
      </div>
    </figure>
  );
}
