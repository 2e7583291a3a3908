// A pattern in the plane of its two strongest components: examples lit by weight, and the goal.

import { scatter } from "../store";
import { ofThisDocument } from "./editing";

const scatterNow = ofThisDocument(scatter);
const WIDTH = 260;
const HEIGHT = 200;
const EDGE = 26;

export function PatternScatter() {
  const found = scatterNow.value;
  if (!found) return <p class="ed-about">The examples show here once the pattern is there and a goal is set.</p>;
  const { names, shares, weights } = found.message;
  const places = found.arrays.places as Float32Array;
  const goal = found.arrays.goal as Float32Array | undefined;
  const known = goal && goal.length >= 2 && Number.isFinite(goal[0]) && Number.isFinite(goal[1]);
  const xs: number[] = [];
  const ys: number[] = [];
  for (let i = 0; i + 1 < places.length; i += 2) {
    xs.push(places[i]!);
    ys.push(places[i + 1]!);
  }
  const [x0, x1] = span(known ? [...xs, goal[0]!] : xs);
  const [y0, y1] = span(known ? [...ys, goal[1]!] : ys);
  const x = (v: number) => EDGE + ((WIDTH - EDGE - 8) * (v - x0)) / (x1 - x0);
  const y = (v: number) => HEIGHT - EDGE - ((HEIGHT - EDGE - 8) * (v - y0)) / (y1 - y0);
  const most = Math.max(1e-9, ...weights.map(Math.abs));
  const percent = (i: number) => (shares[i] === undefined ? "" : `, ${(100 * shares[i]!).toFixed(0)} % of the variance`);
  return (
    <svg class="ed-scatter" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" data-testid="pattern-scatter"
      aria-label={`${names.length} examples in the plane of the two strongest components`}>
      <path class="ed-axes" d={`M${EDGE} 8V${HEIGHT - EDGE}H${WIDTH - 8}`} />
      <path class="ed-zero" d={`M${x(0)} 8V${HEIGHT - EDGE}M${EDGE} ${y(0)}H${WIDTH - 8}`} />
      <text x={(WIDTH + EDGE) / 2} y={HEIGHT - 8} text-anchor="middle">component 1{percent(0)}</text>
      <text transform={`translate(14 ${(HEIGHT - EDGE) / 2}) rotate(-90)`} text-anchor="middle">component 2{percent(1)}</text>
      {xs.map((value, i) => {
        const weight = weights[i] ?? 0;
        return (
          <circle key={i} cx={x(value)} cy={y(ys[i]!)} r="6" class={weight < 0 ? "ed-example ed-against" : "ed-example"}
            style={{ fillOpacity: (0.08 + (0.92 * Math.abs(weight)) / most).toFixed(3) }}>
            <title>{`${names[i] ?? i}: ${weight.toFixed(2)}`}</title>
          </circle>
        );
      })}
      {known && <path class="ed-cross" d={`M${x(goal[0]!) - 8} ${y(goal[1]!)}h16m-8 -8v16`}><title>the edited motion</title></path>}
    </svg>
  );
}

/** From the least to the most, zero included, with room around. */
function span(values: number[]): [number, number] {
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const room = 0.1 * (high - low) || 1;
  return [low - room, high + room];
}
