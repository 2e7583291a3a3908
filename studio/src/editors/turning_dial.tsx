// A dial that turns further than once around; to the left is positive, seen from above.

import { useEffect, useRef } from "preact/hooks";
import { followPointer } from "./editing";

const R = 34;
const SNAP_DEG = 5;
const MOST_DEG = 3600;

const near = (degrees: number, snap: number): number => {
  const limited = Math.max(-MOST_DEG, Math.min(MOST_DEG, degrees));
  return Math.round(limited / snap) * snap || 0;
};

/** In words: whole spins, and the rest. */
export function spinWords(degrees: number): string {
  const spins = Math.trunc(degrees / 360);
  const rest = Math.round(Math.abs(degrees - 360 * spins));
  const side = degrees > 0 ? "left" : "right";
  if (!Math.round(degrees)) return "no turn";
  const turns = spins ? `${Math.abs(spins)} spin${Math.abs(spins) > 1 ? "s" : ""}` : "";
  return [turns, rest || !spins ? `${rest}°` : ""].filter(Boolean).join(" + ") + ` ${side}`;
}

export function TurningDial({ degrees, label, testid, onDrag, onEnd, onStep }: {
  degrees: number; label: string; testid: string;
  /** While it is turned. */
  onDrag(degrees: number): void;
  onEnd(degrees: number, kept: boolean): void;
  /** By the keyboard. */
  onStep(degrees: number): void;
}) {
  const face = useRef<SVGSVGElement>(null);
  const hand = useRef<SVGGElement>(null);
  const arc = useRef<SVGPathElement>(null);
  const text = useRef<SVGTextElement>(null);
  const turning = useRef(false);
  const show = (value: number) => {
    hand.current?.setAttribute("transform", `rotate(${-value})`);
    arc.current?.setAttribute("d", sector(value));
    if (text.current) text.current.textContent = `${Math.round(value)}°`;
    face.current?.setAttribute("aria-valuenow", String(Math.round(value)));
    face.current?.setAttribute("aria-valuetext", spinWords(value));
  };
  // Drawn past the framework, so that turning it does not make the panel anew.
  useEffect(() => {
    if (!turning.current) show(degrees);
  }, [degrees]);

  const turn = (event: PointerEvent) => {
    const box = face.current!.getBoundingClientRect();
    const at = (e: PointerEvent) =>
      (-Math.atan2(e.clientX - box.left - box.width / 2, -(e.clientY - box.top - box.height / 2)) * 180) / Math.PI;
    let last = at(event);
    let raw = degrees;
    let now = degrees;
    turning.current = true;
    followPointer(event, (e) => {
      const angle = at(e);
      // The shorter way around since the last move: so spins add up.
      raw += ((angle - last + 540) % 360) - 180;
      last = angle;
      now = near(raw, e.altKey ? 1 : e.shiftKey ? 45 : SNAP_DEG);
      show(now);
      onDrag(now);
    }, (kept) => {
      turning.current = false;
      show(kept ? now : degrees);
      onEnd(now, kept && now !== degrees);
    });
  };
  const STEPS: Record<string, number> = {
    ArrowLeft: SNAP_DEG, ArrowUp: SNAP_DEG, ArrowRight: -SNAP_DEG, ArrowDown: -SNAP_DEG, PageUp: 90, PageDown: -90,
  };
  return (
    <svg
      ref={face} class="ed-dial" viewBox="-44 -44 88 88" width="88" height="88" tabindex={0} role="slider"
      aria-label={label} aria-valuemin={-MOST_DEG} aria-valuemax={MOST_DEG} data-testid={testid} onPointerDown={turn}
      onKeyDown={(event) => {
        const step = event.key === "Home" ? -degrees : STEPS[event.key];
        if (step === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        if (step) onStep(near(degrees + step, 1));
      }}
    >
      <circle r={R} class="ed-dial-face" />
      {Array.from({ length: 24 }, (_, i) => (
        <line key={i} y1={-R} y2={-R + (i % 6 ? 3 : 7)} transform={`rotate(${15 * i})`} class="ed-dial-tick" />
      ))}
      <path ref={arc} class="ed-dial-arc" />
      <g ref={hand}>
        <line y1={-19} y2={-R + 6} class="ed-dial-hand" />
        <circle cy={-R} r="6" class="ed-dial-knob" />
      </g>
      <text ref={text} y="4" text-anchor="middle" />
    </svg>
  );
}

/** What has been turned through: a spiral, so that more than one spin shows. */
function sector(degrees: number): string {
  const count = Math.max(2, Math.ceil(Math.abs(degrees) / 8));
  const points: string[] = [];
  for (let i = 0; i <= count; i += 1) {
    const angle = (degrees * i) / count;
    const radius = R - 5 - (3 * Math.abs(angle)) / 360;
    const a = (-angle * Math.PI) / 180;
    points.push(`${(Math.max(21, radius) * Math.sin(a)).toFixed(2)} ${(-Math.max(21, radius) * Math.cos(a)).toFixed(2)}`);
  }
  return `M${points.join("L")}`;
}
