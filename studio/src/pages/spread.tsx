// Every figure over all clips: two rows of bars, before and after, above one axis; each leads to its clips in the table.

import { useMemo } from "preact/hooks";
import { TicksBelow, WIDTH, widthOf } from "./axes";
import { LEAST_SHOWN, binTicks, binsFor, countsOf, edgeWords, placeIn } from "./bins";
import type { Key, Library, Spread } from "./content";
import { Legend } from "./chart";
import { clips, count } from "./words";

const LEFT = 52;
const RIGHT = 12;
const TOP = 4;
const LANE = 30;
const BETWEEN = 7;
const UNDER = 24;
/** Width of the bar for what is next to nothing on a log axis, and the gap after it. */
const BELOW = 20;
const GAP = 7;
/** Height of a bar for one clip among thousands. */
const LEAST_BAR = 2;
const COLORS = { before: "orange", after: "blue" };
const KEYS: (Key | string)[] = [
  { label: "before", color: "orange", kind: "area" }, { label: "after", color: "blue", kind: "area" },
  { label: "median", color: "ink", kind: "line" }, { label: "95th percentile (5th where more is better)", color: "ink", kind: "dashed" },
  "along the axis:",
  { label: "good", color: "green", kind: "line" }, { label: "fair", color: "orange", kind: "line" }, { label: "poor", color: "vermilion", kind: "line" },
];

/** The page's address with a filter for the table. */
export const filterLink = (chosen: Record<string, string | number>): string =>
  `#${new URLSearchParams(Object.entries(chosen).map(([name, value]) => [name, String(value)]))}`;

export function Spreads({ library }: { library: Library }) {
  if (!library.figures.length) return <p>No clip has figures.</p>;
  return (
    <>
      <p class="about">
        Bars count clips; those before and those after are each drawn to their own height. Where values differ by orders of magnitude the axis is
        logarithmic, and its first bar holds all that is smaller. “Input’s contacts” are the same two figures after, measured with the contacts found in
        the input: claiming fewer contacts does not better them. Click a bar to see its clips in the table.
      </p>
      <Legend keys={KEYS} />
      {[...new Set(library.figures.map((figure) => figure.group))].map((group) => (
        <div class="group">
          <h3>{group}</h3>
          <ul class="spread">
            {library.figures.filter((figure) => figure.group === group).map((figure) => (
              <li>
                <div class="what">
                  <a class="name" href={filterLink({ by: figure.key })}>{figure.name}</a>
                  <span class="about">{figure.about}</span>
                  <Changes figure={figure} />
                </div>
                <Stats figure={figure} />
                <div class="chart"><div class="svgbox"><Distribution figure={figure} /></div></div>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

function Changes({ figure }: { figure: Spread }) {
  if (!figure.changes) return null;
  const [better, worse, still, same] = figure.changes;
  const words = `▼ ${count(worse)} worse`;
  return (
    <span class="changes">
      <span class="better">▲ {count(better)} better</span>{" "}
      <span class={worse ? "worse" : "same"}>{worse ? <a href={filterLink({ by: figure.key, worse: 1 })}>{words}</a> : words}{still > 0 && ` (${count(still)} still good)`}</span>{" "}
      <span class="same">= {count(same)} same</span>
    </span>
  );
}

function Stats({ figure }: { figure: Spread }) {
  return (
    <div class="stats">
      <table>
        <thead><tr><th scope="col"><span class="unit">{figure.unit}</span></th><th scope="col">{figure.before && "before"}</th><th scope="col">after</th></tr></thead>
        <tbody>{figure.table.map(([words, before, after]) => (
          <tr class={words === "clips" ? "soft" : ""}><th scope="row">{words}</th><td>{before}</td><td>{after}</td></tr>
        ))}</tbody>
      </table>
      {figure.under_words && <small>input’s contacts: {figure.under_words}</small>}
    </div>
  );
}

function Distribution({ figure }: { figure: Spread }) {
  const lanes = (["before", "after"] as const)
    .map((when, n) => ({ when, marks: figure.marks[n]!, values: (figure[when] ?? []).filter((value): value is number => value !== null) }))
    .filter((lane) => lane.values.length);
  const bins = useMemo(() => binsFor(lanes.flatMap((lane) => lane.values), figure.limits?.[0] ?? NaN, !figure.bounded), [figure]);
  const height = TOP + lanes.length * (LANE + BETWEEN) + UNDER;
  const floor = height - UNDER;
  const end = WIDTH - RIGHT;
  const start = LEFT + (bins.rest ? BELOW + GAP : 0);
  const x = (value: number | null): number => {
    const place = placeIn(bins, value ?? NaN);
    return place < 0 ? LEFT + (bins.rest ? BELOW / 2 : 0) : start + place * (end - start);
  };
  const rest = bins.edges[0]! <= LEAST_SHOWN ? "≈ 0" : `< ${edgeWords(bins.edges[0]!)}`;
  const marks = binTicks(bins).map(([value, label]): [number, string] => [x(value), label]);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={`${figure.name}: how many clips have which value.`} data-axis={bins.log ? "log" : "even"}>
      {bins.rest && <text class="tick" x={LEFT + BELOW / 2} y={floor + 17} text-anchor="middle">{rest}</text>}
      <path class="grid" d={marks.map(([at]) => `M${at} ${TOP}V${floor + 3}`).join("")} />
      <TicksBelow marks={marks} y={floor + 17} most={WIDTH - 3} from={bins.rest ? LEFT + (BELOW + widthOf(rest)) / 2 + 4 : undefined} />
      <Verdicts figure={figure} at={(limit) => Math.max(LEFT, Math.min(end, x(limit)))} floor={floor} />
      {lanes.map(({ when, values, marks: [median, tail] }, n) => {
        const bottom = TOP + n * (LANE + BETWEEN) + LANE;
        const counts = countsOf(bins, values);
        const most = Math.max(...counts);
        return (
          <>
            <text class="tick" x={LEFT - 6} y={bottom - LANE / 2 + 5} text-anchor="end">{when}</text>
            <path class="grid" d={`M${LEFT} ${bottom}H${end}`} />
            {counts.map((many, k) => {
              if (!many) return null;
              const [low, high] = bins.rest ? [bins.edges[k - 1], bins.edges[k]!] : [bins.edges[k], bins.edges[k + 1]!];
              const [left, right] = low === undefined ? [LEFT, LEFT + BELOW] : [x(low), x(high)];
              const span = low === undefined ? `below ${edgeWords(high)}` : `${edgeWords(low)} to below ${edgeWords(high)}`;
              return (
                <a href={filterLink({ by: figure.key, of: when, ...(low === undefined ? {} : { from: low }), below: high })} tabIndex={-1}>
                  <title>{`${`${span} ${figure.unit}`.trim()}: ${clips(many)} ${when}`}</title>
                  <path class="hit" d={`M${left} ${bottom}V${bottom - LANE}H${right}V${bottom}z`} />
                  <path class={`bar ${COLORS[when]}`} d={`M${left} ${bottom}V${bottom - Math.max((LANE * many) / most, LEAST_BAR)}H${right - 0.8}V${bottom}z`} />
                </a>
              );
            })}
            <path class="tail" d={`M${x(tail!)} ${bottom + 2}V${bottom - LANE - 2}`} />
            <path class="median" d={`M${x(median!)} ${bottom + 2}V${bottom - LANE - 2}`} />
          </>
        );
      })}
    </svg>
  );
}

/** A strip along the axis: where values are good, fair and poor. */
function Verdicts({ figure, at, floor }: { figure: Spread; at(limit: number): number; floor: number }) {
  if (!figure.limits) return null;
  const [good, poor] = figure.limits.map(at) as [number, number];
  const [first, last] = [LEFT, WIDTH - RIGHT];
  const strips: [number, number, string][] = figure.way < 0 ? [[first, poor, "poor"], [poor, good, "fair"], [good, last, "good"]]
    : [[first, good, "good"], [good, poor, "fair"], [poor, last, "poor"]];
  return <>{strips.map(([from, to, name]) => to > from && <path class={`strip-${name}`} d={`M${from} ${floor}H${to}`} />)}</>;
}
