// A follow_curve over time, one lane an axis; its places are dragged up and down, and in time.

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { frame } from "../store";
import type { Vec3 } from "../recipe";
import type { Curve } from "./curve_passes";
import { followPointer } from "./editing";

const WIDTH = 300;
const LANE = 62;
const LEFT = 30;
const RIGHT = 8;
const LEAST_RANGE_M = 0.1;
const AXES = ["x", "y", "z"];

export function CurvePlot({ curve, chosen, axes, onChoose, onDrag, onEnd, onStep, onDelete }: {
  curve: Curve; chosen: number;
  /** Which coordinates count. */
  axes: string;
  onChoose(index: number): void;
  onDrag(index: number, frame: number, place: Vec3): void;
  onEnd(kept: boolean): void;
  onStep(index: number, frame: number, place: Vec3): void;
  onDelete(index: number): void;
}) {
  const cursor = useRef<SVGLineElement>(null);
  const { first, last } = curve;
  const x = (at: number) => LEFT + ((WIDTH - LEFT - RIGHT) * (at - first)) / Math.max(1, last - first);
  const frameAt = (px: number) => first + ((px - LEFT) * (last - first)) / (WIDTH - LEFT - RIGHT);
  const height = 3 * LANE + 14;

  // While playing only this line moves.
  useEffect(() => effect(() => {
    const at = frame.value;
    const line = cursor.current;
    if (!line) return;
    line.style.display = at < first || at > last ? "none" : "";
    line.setAttribute("transform", `translate(${x(at).toFixed(2)} 0)`);
  }), [first, last]);

  const zero = (at: number) => curve.original[Math.max(0, Math.min(curve.original.length - 1, at - first))] ?? [0, 0, 0];
  const count = Math.min(240, Math.max(2, last - first + 1));
  const line = Array.from({ length: count }, (_, i) => {
    const at = first + ((last - first) * i) / (count - 1);
    const [place, from] = [curve.at(at), zero(Math.round(at))];
    return { at, shift: [0, 1, 2].map((k) => place[k]! - from[k]!) };
  });
  const box = useRef<SVGSVGElement>(null);

  return (
    <svg
      ref={box} class="ed-curve" viewBox={`0 0 ${WIDTH} ${height}`} data-testid="curve-plot" role="group"
      aria-label="The curve over time, one lane for x, y and z"
      onPointerDown={(event) => {
        if (event.target !== event.currentTarget && !(event.target as Element).classList.contains("ed-lane")) return;
        const to = (e: PointerEvent) => {
          const area = box.current!.getBoundingClientRect();
          const at = frameAt(((e.clientX - area.left) * WIDTH) / area.width);
          frame.value = Math.round(Math.max(first, Math.min(last, at)));
        };
        followPointer(event, to, () => {});
        to(event);
      }}
    >
      {AXES.map((axis, k) => {
        const values = [...line.map((point) => point.shift[k]!), ...curve.passes.map((pass) => pass.place_m[k]! - zero(pass.frame)[k]!)];
        const middle = (Math.min(...values) + Math.max(...values)) / 2;
        const range = Math.max(LEAST_RANGE_M, 1.2 * (Math.max(...values) - Math.min(...values)));
        const y = (value: number) => LANE * k + LANE / 2 - ((LANE - 12) * (value - middle)) / range;
        return (
          <g key={axis} class={axes.includes(axis) ? "" : "ed-off"}>
            <rect class="ed-lane" x={LEFT} y={LANE * k + 2} width={WIDTH - LEFT - RIGHT} height={LANE - 4} />
            <text x="4" y={LANE * k + LANE / 2 + 4}>{axis}</text>
            <text x={LEFT - 3} y={LANE * k + 11} text-anchor="end" class="ed-scale">{(100 * (middle + range / 2)).toFixed(0)}</text>
            <text x={LEFT - 3} y={LANE * (k + 1) - 5} text-anchor="end" class="ed-scale">{(100 * (middle - range / 2)).toFixed(0)}</text>
            {y(0) > LANE * k + 2 && y(0) < LANE * (k + 1) - 2 && <line class="ed-original" x1={LEFT} x2={WIDTH - RIGHT} y1={y(0)} y2={y(0)} />}
            <path class="ed-line" d={`M${line.map((point) => `${x(point.at).toFixed(1)} ${y(point.shift[k]!).toFixed(1)}`).join("L")}`} />
            {curve.passes.map((pass, i) => {
              const from = zero(pass.frame)[k]!;
              const [px, py] = [x(pass.frame), y(pass.place_m[k]! - from)];
              return (
                <g key={i}>
                  {pass.until != null && <line class="ed-rest" x1={px} x2={x(pass.until)} y1={py} y2={py} />}
                  <circle
                    cx={px} cy={py} r={i === chosen ? 6 : 4.5} class={i === chosen ? "ed-pass ed-on" : "ed-pass"} tabindex={0} role="slider"
                    aria-label={`${axis} at frame ${pass.frame}`} aria-valuenow={Math.round(1000 * pass.place_m[k]!) / 1000} aria-valuetext={`${pass.place_m[k]!.toFixed(3)} m`}
                    data-testid={`pass-${i}-${axis}`} onFocus={() => onChoose(i)}
                    onPointerDown={(event) => {
                      event.stopPropagation();
                      onChoose(i);
                      const area = box.current!.getBoundingClientRect();
                      const scale = WIDTH / area.width;
                      const start = [event.clientX, event.clientY] as const;
                      // The scale stays as it was when the drag began, or it would run away.
                      followPointer(event, (e) => {
                        const along = (e.clientX - start[0]) * scale;
                        const up = -((e.clientY - start[1]) * scale * range) / (LANE - 12);
                        const at = pass.frame + (along * (last - first)) / (WIDTH - LEFT - RIGHT);
                        const held = e.shiftKey ? pass.frame : at;
                        onDrag(i, held, pass.place_m.map((v, m) => (m === k ? v + up : v)) as Vec3);
                      }, onEnd);
                    }}
                    onKeyDown={(event) => {
                      const size = event.shiftKey ? 0.001 : 0.01;
                      const steps: Record<string, [number, number]> = { ArrowUp: [0, size], ArrowDown: [0, -size], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
                      const step = steps[event.key];
                      if (event.key === "Delete" || event.key === "Backspace") onDelete(i);
                      else if (step) onStep(i, pass.frame + step[0], pass.place_m.map((v, m) => (m === k ? v + step[1] : v)) as Vec3);
                      else return;
                      event.preventDefault();
                      event.stopPropagation();
                    }}
                  />
                </g>
              );
            })}
          </g>
        );
      })}
      <line ref={cursor} class="ed-cursor" y1="2" y2={3 * LANE - 2} />
      <text x={LEFT} y={height - 3} class="ed-scale">{first}</text>
      <text x={WIDTH - RIGHT} y={height - 3} text-anchor="end" class="ed-scale">{last}</text>
      <text x={(WIDTH + LEFT) / 2} y={height - 3} text-anchor="middle" class="ed-scale">{curve.displaced ? "frame; cm from the original" : "frame; cm"}</text>
    </svg>
  );
}
