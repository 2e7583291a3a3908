// The viewport: the scene, and the bars on top of it.

import { useEffect, useRef, useState } from "preact/hooks";
import { gizmo, shown } from "../store";
import { attach, following, frameView, nudge, setView, settleNudges, toggleFollow, toggleShown, viewName, type Overlay, type ViewName } from "./actions";
import { Engine } from "./engine";
import { exposeHook } from "./test_hook";
import "./viewport.css";

const VIEWS: [ViewName, string, string][] = [
  ["perspective", "Persp", "Perspective (5)"], ["top", "Top", "From above (7)"],
  ["front", "Front", "From the front (1)"], ["side", "Side", "From the side (3)"],
];
/** What can be shown, with its colour in the picture. */
const OVERLAYS: [Overlay, string, string, string][] = [
  ["skin", "Skin", "The body", "var(--after)"],
  ["bones", "Bones", "The skeleton", "var(--after)"],
  ["before", "Capture", "The captured motion behind the result", "var(--before)"],
  ["trails", "Trail", "The way of the selected point, a second before and after", "var(--after)"],
  ["footprints", "Steps", "Where feet and hands touch; drag a print to move the step", "var(--after)"],
  ["support", "Area", "The support area", "var(--good)"],
  ["com", "CoM", "The centre of mass; drag it to shift the weight", "var(--text)"],
  ["zmp", "ZMP", "The zero-moment point: green inside the support area, red outside", "var(--accent)"],
  ["forces", "Forces", "Reaction forces; body weight is half a metre", "var(--live)"],
  ["goals", "Goals", "What constraints ask for, and handles of leaps", "var(--goal)"],
  ["grid", "Grid", "A square is a metre", "var(--text-2)"],
];
const GIZMOS: ["translate" | "rotate" | "none", string, string][] = [
  ["translate", "Move", "Move what is selected (W)"], ["rotate", "Turn", "Turn the selected joint (E)"],
  ["none", "Off", "No gizmo (R)"],
];
const NUDGE_M = 0.01;
const NUDGES: Record<string, [number, number, number]> = {
  ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0],
  PageUp: [0, 0, -1], PageDown: [0, 0, 1],
};

export function Viewport() {
  const host = useRef<HTMLDivElement>(null);
  const [broken, setBroken] = useState("");
  useEffect(() => {
    let engine: Engine;
    try {
      engine = new Engine(host.current!);
    } catch (problem) {
      setBroken(String(problem instanceof Error ? problem.message : problem));
      return;
    }
    attach(engine);
    const hide = exposeHook(engine);
    return () => {
      hide();
      attach(null);
      engine.dispose();
    };
  }, []);
  return (
    <div class="vp-root">
      <div ref={host} class="vp-scene" tabIndex={0} role="application" data-testid="viewport" onKeyDown={onKey} onBlur={settleNudges}
        aria-label="Viewport. Alt and arrow keys move what is selected by a centimetre, Alt and Page keys towards you or away." />
      {broken && <p class="vp-broken" role="alert">The picture needs WebGL 2, which this browser does not give: {broken}</p>}
      <ViewBar />
      <OverlayBar />
    </div>
  );
}

function onKey(event: KeyboardEvent): void {
  const way = event.altKey ? NUDGES[event.key] : undefined;
  if (!way) return;
  // Even where nothing is selected: a browser would go back to its last page.
  event.preventDefault();
  event.stopPropagation();
  const far = event.shiftKey ? 10 * NUDGE_M : NUDGE_M;
  nudge(far * way[0], far * way[1], far * way[2]);
}

function ViewBar() {
  return (
    <div class="vp-bar vp-views" role="toolbar" aria-label="View">
      <div class="vp-group" role="group" aria-label="Look from">
        {VIEWS.map(([name, label, tip]) => (
          <button key={name} type="button" data-testid={`vp-view-${name}`} data-tip={tip} aria-label={tip}
            aria-pressed={viewName.value === name} onClick={() => setView(name)}>{label}</button>
        ))}
      </div>
      <div class="vp-group" role="group" aria-label="Camera">
        <button type="button" data-testid="vp-frame" data-tip="Fill the picture with what is selected, or the figure (F)"
          aria-label="Frame the selection" onClick={frameView}>Frame</button>
        <button type="button" data-testid="vp-follow" data-tip="The camera goes along with the figure" aria-label="Follow the figure"
          aria-pressed={following.value} onClick={toggleFollow}>Follow</button>
      </div>
      <div class="vp-group" role="group" aria-label="Gizmo">
        {GIZMOS.map(([name, label, tip]) => (
          <button key={name} type="button" data-testid={`vp-gizmo-${name}`} data-tip={tip} aria-label={tip}
            aria-pressed={gizmo.value === name} onClick={() => (gizmo.value = name)}>{label}</button>
        ))}
      </div>
    </div>
  );
}

function OverlayBar() {
  const now = shown.value;
  return (
    <div class="vp-bar vp-overlays" role="toolbar" aria-label="What is shown">
      {OVERLAYS.map(([name, label, tip, colour]) => (
        <button key={name} type="button" class="vp-chip" data-testid={`vp-toggle-${name}`} data-tip={tip}
          aria-label={`Show ${label}: ${tip}`} aria-pressed={now[name]} onClick={() => toggleShown(name)}>
          <span class="vp-swatch" style={{ background: colour }} aria-hidden="true" />{label}
        </button>
      ))}
    </div>
  );
}
