/** @jsxImportSource preact */
// The timeline alone, fed by hand: ?frames=2000 for a long clip. Not shipped.

import { render } from "preact";
import "../src/style.css";
import type { FromPage, Touch } from "../src/messages";
import * as store from "../src/store";
import { Timeline } from "../src/timeline";
import * as timeline from "../src/timeline";

const query = new URLSearchParams(location.search);
const frames = Number(query.get("frames") ?? 120);
document.documentElement.dataset.theme = query.get("theme") ?? "dark";
const sent: FromPage[] = [];

const PARTS = ["left_foot", "right_foot", "left_hand", "right_hand", "left_knee", "right_knee", "pelvis", "head"];

function com(height: number): Float32Array {
  const all = new Float32Array(frames * 3);
  for (let f = 0; f < frames; f += 1) all[3 * f + 1] = height + 0.05 * Math.sin(f / 5) + (f > 60 && f < 75 ? 0.02 * (f - 60) * (75 - f) / 10 : 0);
  return all;
}

function physicsOf(which: "before" | "after", touches: Touch[]): void {
  const stages = query.has("leap") ? [
    { name: "ground", first: 0, last: 60, place_m: [0, 0, 0] as [number, number, number] },
    { name: "flight", first: 61, last: 74, place_m: [0, 1, 0] as [number, number, number] },
    { name: "ground", first: 75, last: frames - 1, place_m: [0, 0, 1] as [number, number, number] },
  ] : [];
  store.physics.value = new Map(store.physics.value).set(which, {
    message: { kind: "physics", which, weight_n: 700, touches, parts: PARTS, stages, arrays: [] },
    arrays: { com_m: com(which === "before" ? 0.9 : 0.93) },
  });
}

let before: Touch[] = [
  { part: "left_foot", first: 0, last: 20 }, { part: "left_foot", first: 45, last: 60 }, { part: "left_foot", first: 78, last: 110 },
  { part: "right_foot", first: 12, last: 48 }, { part: "right_foot", first: 80, last: 119 }, { part: "right_foot", first: 49, last: 52, sliding: true },
];
if (frames > 500) {
  before = [];
  for (let i = 0; i < 60; i += 1) {
    const first = Math.floor((i >> 1) * (frames / 30) + (i % 2) * 20);
    before.push({ part: i % 2 ? "right_foot" : "left_foot", first, last: first + 30 });
  }
}
const recipe = {
  poise: 1, clip: { sample: "walk" },
  steps: [{ deform: { constraints: [
    { plant: { name: "left foot", part: "left_foot", frames: [4, 34], ease: 6, priority: 1, frame: 10 } },
    { follow_curve: { name: "reach", point: "left_wrist", seconds: [1, 3], through: [{ second: 1.5, place_m: [0, 1, 0] }, { frame: 70, until: 76, place_m: [0, 1, 0] }], priority: 2 } },
    { hit_at: { name: "hit", point: "right_wrist", second: 2.5, place_m: [0, 1, 0], priority: 3 } },
    { hold_point: { name: "hold the hip", point: "pelvis", place_m: [0, 1, 0], frames: "all", ease_seconds: 0.2, priority: 4 } },
    { flight_height: { name: "higher", scale: 1.2 } },
  ] } }],
};

function state(changed: Record<string, any>): void {
  store.documentState.value = {
    kind: "document_state", id: "d", name: "walk", recipe: changed, frames, rate_hz: 30, undo: "", redo: "",
    solved: "yes", status: "", summary: "", notes: [], step_count: 1, saved: true,
  };
  store.draft.value = null;
}

class Fake {
  static OPEN = 1;
  readyState = 1;
  onopen = () => {};
  constructor() { setTimeout(() => this.onopen(), 0); }
  send(text: string): void {
    const message = JSON.parse(text) as FromPage;
    sent.push(message);
    if (message.kind === "edit_contacts") setTimeout(() => physicsOf("after", message.touches), 100);
    if (message.kind === "edit_recipe") setTimeout(() => state(message.recipe), 50);
  }
}
(window as any).WebSocket = Fake;
Object.assign(window, { sent, store, timeline });

state(recipe);
physicsOf("before", before);
if (query.has("after")) physicsOf("after", before.map((each, i) => (i === 1 ? { ...each, last: 56 } : each)));
store.goals.value = { arrays: {}, message: { kind: "goals", arrays: [], goals: [
  { name: "left foot", constraint: "plant", step: 0, index: 0, first: 4, last: 34, row: 0, met: true, worst: "0 mm" },
  { name: "reach", constraint: "follow_curve", step: 0, index: 1, first: 30, last: 90, row: 0, met: false, worst: "12 mm at frame 45" },
] } };
store.start();
render(<Timeline />, document.getElementById("app")!);
