// A chart with its heading, its legend and a sentence.

import { useMemo, useRef, useState } from "preact/hooks";
import { pathOf } from "../plots/path";
import { Axes, Frame, TOP, WIDTH, mapFrame, rangeOf, shortened, widthOf } from "./axes";
import type { Bar, Chart, Ends, Key } from "./content";
import { RADIUS, placed } from "./names";

const COLORS = ["blue", "orange", "green", "vermilion", "purple"];
const SHAPES: [string, Ends[]][] = [
  ["round", []],
  ["square", [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]],
  ["diamond", [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]]],
  ["triangle", [[0, -1.2], [1.15, 0.85], [-1.15, 0.85]]],
];
const TIME_TALL = 161;
const FLAT_TALL = 110;
const ROW = 22;
const ROW_OF_TWO = 26;
const LANES: Record<Exclude<Bar["lane"], "under">, Ends> = { whole: [4, 14], upper: [3, 11], lower: [17, 5] };
/** Of what is under a bar: below a whole one, between an upper and a lower one. */
const UNDER = 19;
const UNDER_UPPER = 14.25;
const THIN = 2.5;
/** From one stroke of a hatched bar to the next. */
const HATCH = 5;
const MOST_LABEL = 170;

/** Colour and shape of a group, as words of the style sheet: twenty differ in either. */
export const mark = (group: number): string => `${COLORS[group % COLORS.length]} ${SHAPES[group % SHAPES.length]![0]}`;

export function Legend({ keys }: { keys: (Key | string)[] }) {
  if (!keys.length) return null;
  return (
    <ul class="legend">
      {keys.map((key) => (typeof key === "string" ? <li>{key}</li>
        : <li><i class={`key ${key.kind} ${key.kind === "dot" ? mark(Number(key.color)) : key.color}`} />{key.label}</li>))}
    </ul>
  );
}

function keysOf(chart: Chart): Key[] {
  const outlines = new Map(chart.outlines.map((each) => [each.label, each.color]));
  return [
    ...[...outlines].reverse().map(([label, color]): Key => ({ label, color, kind: "outline" })),
    ...chart.lines.map(({ label, color, dashed }): Key => ({ label, color, kind: dashed ? "dashed" : "line" })),
    ...(chart.spans.length ? [{ label: chart.span_name, color: "span", kind: "area" } as Key] : []),
    ...chart.legend,
  ];
}

export function ChartBox({ chart }: { chart: Chart }) {
  const frame = useMemo(() => frameOf(chart), [chart]);
  const names = useMemo(() => {
    const points = chart.dots.map((dot): Ends => [frame.x(dot.x), frame.y(dot.y)]);
    return placed(chart.dots.map((dot) => dot.label), points, frame, !chart.y_label);
  }, [chart, frame]);
  const missing = chart.dots.filter((dot, i) => dot.label && !names[i]).length;
  const about = chart.about + (missing ? ` ${missing} name${missing > 1 ? "s find" : " finds"} no room: point at a mark to read its name.` : "");
  return (
    <figure class={chart.wide ? "chart wide" : "chart"}>
      <h3>{chart.title}</h3>
      <Legend keys={keysOf(chart)} />
      <Readable chart={chart} frame={frame}>
        <svg viewBox={`0 0 ${frame.width} ${frame.height}`} role="img" aria-label={`${chart.title}. ${about}`}>
          {chart.spans.map(([start, end]) => {
            const [x0, x1] = [frame.x(Math.max(start, chart.ends[0])), frame.x(Math.min(end, chart.ends[1]))];
            return <rect class="span" x={x0} y={TOP} width={Math.max(x1 - x0, 0.5)} height={frame.bottom - TOP} />;
          })}
          <Axes frame={frame} x={chart.x_label} y={chart.y_label} levels={chart.kind !== "rows" && Boolean(chart.y_label)} />
          {chart.outlines.map((each) => (
            <polygon class={`print ${each.color}`} points={each.corners.map(([x, y]) => `${frame.x(x)},${frame.y(y)}`).join(" ")}><title>{each.label}</title></polygon>
          ))}
          {chart.kind === "time" && chart.rule && <path class="rule" d={`M${frame.left} ${frame.y(chart.rule[0])}H${frame.right}`} />}
          {chart.lines.map((line) => (
            <path class={`line ${line.color}${line.dashed ? " dashed" : ""}`} d={pathOf(line.y, (v) => frame.y(v), (i) => frame.x(line.x[i]!).toFixed(1), 1)}>
              <title>{line.label}</title>
            </path>
          ))}
          {chart.kind === "time" && chart.rule && <text class="note" x={frame.right - 3} y={frame.y(chart.rule[0]) - 4} text-anchor="end">{chart.rule[1]}</text>}
          {chart.kind === "rows" && <Rows chart={chart} frame={frame} />}
          {chart.kind === "dots" && <path class="grid zero" d={zeroLines(frame, !chart.y_label)} />}
          {names.map((name) => name && (
            <>
              {name.line && <path class="leader" d={name.line} />}
              <text class="note" x={name.x} y={name.y} text-anchor={name.anchor}>{name.words}</text>
            </>
          ))}
          {chart.dots.map((dot) => {
            const [x, y] = [frame.x(dot.x), frame.y(dot.y)];
            const corners = SHAPES[dot.group % SHAPES.length]![1];
            const said = <title>{dot.said || dot.label}</title>;
            return corners.length ? <polygon class={`dot ${mark(dot.group)}`} points={corners.map(([a, b]) => `${x + RADIUS * a},${y + RADIUS * b}`).join(" ")}>{said}</polygon>
              : <circle class={`dot ${mark(dot.group)}`} cx={x} cy={y} r={RADIUS}>{said}</circle>;
          })}
        </svg>
      </Readable>
      <figcaption>{about}</figcaption>
    </figure>
  );
}

function frameOf(chart: Chart): Frame {
  const width = chart.wide ? 2 * WIDTH : WIDTH;
  if (chart.kind === "rows") {
    const room = Math.min(MOST_LABEL, Math.max(...chart.rows.map((row) => widthOf(row.label))) + 10);
    return new Frame(chart.ends, [0, 1], width, rowTall(chart) * chart.rows.length, Math.max(room, 48));
  }
  if (chart.kind === "map") {
    const points: Ends[] = chart.outlines.flatMap((each) => each.corners);
    for (const { x, y } of chart.lines) x.forEach((value, i) => value !== null && y[i] !== null && points.push([value, y[i]!]));
    return mapFrame(points, width, (ratio, free) => Math.max(FLAT_TALL, Math.min(300, free * ratio)), 1.05, 0.4);
  }
  if (chart.kind === "dots") {
    const tall = (ratio: number, free: number) => free * Math.max(0.45, Math.min(chart.wide ? 0.55 : 0.75, ratio));
    return mapFrame(chart.dots.map((dot) => [dot.x, dot.y]), width, chart.y_label ? tall : () => FLAT_TALL);
  }
  const ends: Ends = chart.ends[1] > chart.ends[0] ? chart.ends : [chart.ends[0] - 0.5, chart.ends[0] + 0.5];
  const levels = rangeOf(chart.lines.map((line) => line.y), [...chart.include, ...(chart.rule ? [chart.rule[0]] : [])]);
  return Frame.fitted((left) => new Frame(ends, levels, width, TIME_TALL, left));
}

const rowTall = (chart: Chart): number => (chart.rows.some((row) => row.bars.some((bar) => bar.lane === "upper" || bar.lane === "lower")) ? ROW_OF_TWO : ROW);

function zeroLines(frame: Frame, level: boolean): string {
  const x = frame.x(0);
  return (x >= frame.left && x <= frame.right ? `M${x} ${frame.top}V${frame.bottom}` : "") + (level ? `M${frame.left} ${frame.y(0)}H${frame.right}` : "");
}

function Rows({ chart, frame }: { chart: Chart; frame: Frame }) {
  const tall = rowTall(chart);
  const limit = chart.rule && frame.x(chart.rule[0]);
  return (
    <>
      {chart.rows.map((row, n) => {
        const top = TOP + tall * n;
        let label = row.label;
        while (label.length > 4 && widthOf(label) > frame.left - 8) label = shortened(row.label, label.length - 1);
        const end = Math.max(frame.left, ...row.bars.map((bar) => frame.x(bar.end)));
        return (
          <>
            <text class="tick" x={frame.left - 6} y={top + tall / 2 + 4} text-anchor="end">{label}<title>{row.label}</title></text>
            {row.bars.map((bar) => <BarOf bar={bar} frame={frame} top={top} tall={tall} />)}
            {row.marks.map(([at, color]) => <path class={`line ${color}`} d={`M${frame.x(at)} ${top + 2}v18`} />)}
            {row.end && <text class="note" x={end + 5} y={top + tall / 2 + 4}>{row.end}</text>}
          </>
        );
      })}
      {limit !== null && <path class="limit" d={`M${limit} ${TOP - 4}V${frame.bottom}`} />}
      {limit !== null && <text class="note" x={limit + (limit > 0.6 * frame.width ? -4 : 4)} y="13" text-anchor={limit > 0.6 * frame.width ? "end" : "start"}>{chart.rule![1]}</text>}
    </>
  );
}

function BarOf({ bar, frame, top, tall }: { bar: Bar; frame: Frame; top: number; tall: number }) {
  const [down, thick] = bar.lane === "under" ? [tall === ROW ? UNDER : UNDER_UPPER, THIN] : LANES[bar.lane];
  const [x, y, width] = [frame.x(bar.start), top + down, Math.max(frame.x(bar.end) - frame.x(bar.start), 0.8)];
  const said = <title>{bar.said}</title>;
  if (bar.look === "rim") return <rect class={`rim ${bar.color}`} x={x + 0.5} y={y + 0.5} width={Math.max(width - 1, 0.1)} height={thick - 1} />;
  if (bar.look === "hatched") return <g>{said}<rect class={`hatched ${bar.color}`} x={x} y={y} width={width} height={thick} /><path class={`hatch ${bar.color}`} d={hatches(x, y, width, thick)} /></g>;
  return <rect class={`fill ${bar.color}`} x={x} y={y} width={width} height={thick} fill-opacity={bar.strength < 1 ? bar.strength : undefined}>{said}</rect>;
}

/** Strokes that rise to the right, cut off at the sides: a pattern would have to be told apart from those of other charts. */
function hatches(x: number, y: number, width: number, tall: number): string {
  let path = "";
  for (let from = HATCH - tall; from < width; from += HATCH) {
    const [low, high] = [Math.max(0, -from), Math.min(tall, width - from)];
    if (high > low) path += `M${(x + from + low).toFixed(1)} ${(y + tall - low).toFixed(1)}L${(x + from + high).toFixed(1)} ${(y + tall - high).toFixed(1)}`;
  }
  return path;
}

/** Where a pointer rests on lines over time, their values are said. */
function Readable({ chart, frame, children }: { chart: Chart; frame: Frame; children: preact.ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [time, setTime] = useState<number | null>(null);
  if (chart.kind !== "time") return <div class="svgbox">{children}</div>;
  const [low, high] = frame.ends;
  const digits = Math.max(0, Math.min(4, Math.ceil(1.5 - Math.log10(frame.levels[1] - frame.levels[0]))));
  const said = (line: Chart["lines"][number]): string => {
    let near = 0;
    line.x.forEach((x, i) => { if (Math.abs(x! - time!) < Math.abs(line.x[near]! - time!)) near = i; });
    return line.y[near]?.toFixed(digits).replace("-", "−") ?? "–";
  };
  const at = time === null ? 0 : (100 * frame.x(time)) / frame.width;
  return (
    <div
      ref={box} class="svgbox" onPointerLeave={() => setTime(null)}
      onPointerMove={(event) => {
        const area = box.current!.getBoundingClientRect();
        const x = ((event.clientX - area.left) * frame.width) / area.width;
        const found = low + ((x - frame.left) * (high - low)) / (frame.right - frame.left);
        setTime(found >= low && found <= high ? found : null);
      }}
    >
      {children}
      {time !== null && (
        <div class={at > 55 ? "readout far" : "readout"} style={{ left: `${at}%` }}>
          <p><b>{time.toFixed(2)} s</b>{chart.lines.map((line) => <span>{line.label}: {said(line)}</span>)}</p>
        </div>
      )}
    </div>
  );
}
