// Looks at the editors without a server: ?method=deform&theme=dark. Needs editors_fixture.json beside it.
import { render } from "preact";
import * as store from "../src/store";
import { CurveEditor, MeasuresPanel, MethodEditor } from "../src/editors";
import "../src/style.css";

const asked = new URLSearchParams(location.search);
const method = asked.get("method") ?? "deform";
const STEPS: Record<string, any> = {
  deform: { settings: {}, constraints: [
    { plant: { name: "left foot", part: "left_foot", frames: [40, 100], priority: 1 } },
    { follow_curve: { name: "reach", point: "left_wrist", frames: [100, 300], priority: 2, through: [{ frame: 180, place_m: [0.45, 1.35, 1.9], until: 200 }, { frame: 240, place_m: [0.4, 1.2, 2.6], tension: 0.3 }], recruit: { up_to: "spine" } } },
    { place_center_of_mass: { name: "balance", frames: "all", points: ["left_ankle", "right_ankle"], priority: 3 } }] },
  filter: { settings: { passes: "1K+2D+1K", hints: ["lean back"], noise: { "lean back": 1e-11 }, mobility: { neck: 0.1 }, balance: [[20, 100]] }, constraints: [
    { hold_point: { name: "lean back", point: "neck", mode: "offset", place_m: [0, -0.3, -0.25], frames: [15, 130] } },
    { plant: { name: "left foot", part: "left_foot", frames: [40, 100] } }] },
  correct: { settings: { preset: "dance" } },
  momentum: { settings: { family: [{ name: "landing x", stage: -1, values: [-0.4, 0, 0.4], by_m: [1, 0, 0] }, { name: "landing z", stage: -1, values: [-0.4, 0, 0.4], by_m: [0, 0, 1] }] }, constraints: [{ move_stage: { name: "there", stage: -1, by_m: [0, 0, 0.5], turn_deg: 450 } }, { flight_height: { name: "higher", flight: 0, scale: 1.3 } }] },
  pattern: { pattern: "swings.npz", constraints: [{ hit_at: { name: "hit", point: "right_hand_tip", frame: 120, place_m: [0.3, 1.1, 0.9] } }] },
  retarget: { settings: { rounds: 6 } },
};
const unpack = ([head, arrays]: any) => ({
  message: head,
  arrays: Object.fromEntries(Object.entries(arrays as Record<string, [string, string]>).map(([k, [type, text]]) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
    return [k, type === "float32" ? new Float32Array(bytes) : type === "uint32" ? new Uint32Array(bytes) : new Uint8Array(bytes)];
  })),
});
const found = await (await fetch("./editors_fixture.json")).json();
const figure = unpack(found.figure);
const motion = unpack(found.motion);
if (asked.get("theme")) document.documentElement.dataset.theme = asked.get("theme")!;
const F = motion.message.frames;
store.welcome.value = { version: "", project: "dev", samples: [], files: [{ path: "g1.xml", bytes: 1, what: "body" }, { path: "swings.npz", bytes: 1, what: "clip" }], documents: [], recipe_schema: found.schema, presets: found.presets, upload_limit_bytes: 1, kind: "welcome" };
store.figures.value = new Map([[figure.message.key, figure]]);
store.motions.value = new Map([["before", { which: "before", figure: figure.message.key, rate: 120, frames: F, joints: figure.message.joint_names.length, roots: motion.arrays.roots_m as Float32Array, rotations: motion.arrays.rotations_wxyz as Float32Array, version: 1 }]]);
store.documentState.value = { id: "d", name: "walk", recipe: { poise: 1, clip: { sample: "walk" }, character: { to: "g1.xml" }, steps: [{ [method]: STEPS[method] }] }, frames: F, rate_hz: 120, undo: "", redo: "", solved: "no", status: "", summary: "", notes: [], step_count: 1, saved: true, kind: "document_state" };
store.frame.value = 150;
store.selection.value = { kind: "constraint", step: 0, index: method === "deform" ? 1 : 0 };
const stage = (name: string, first: number, last: number) => ({ name, first, last, place_m: [0, 0, 0] as [number, number, number] });
store.physics.value = new Map([["before", { message: { which: "before", weight_n: 700, touches: [], parts: [], stages: [stage("ground", 0, 60), stage("flight", 61, 110), stage("ground", 111, 200), stage("flight", 201, 250), stage("ground", 251, 300)], arrays: [], kind: "physics" }, arrays: {} }]]);
const wave = (f: number) => Float32Array.from({ length: 2 * F }, (_, i) => (i % F > 200 && i % F < 240 ? NaN : Math.abs(Math.sin(i / 20)) * f));
const row = (key: string, group: string, before: number, after: number, verdict: any, change: any) => ({ key, name: key.replace(/[._]/g, " "), group, about: "what it says", unit: "cm/s", before, after, verdict, change });
store.measures.value = { message: { rows: [row("foot_slide.mean", "contact", 22.56, 0.14, "good", "better"), row("penetration.deepest", "contact", 1.92, 0.04, "good", "better"), row("zmp.outside", "balance", 12.2, 8.31, "fair", "better"), row("torque.worst", "strength", 0.8, 1.93, "poor", "worse"), row("likeness.mean", "likeness", 0, 1.4, "", "same")], plots: [{ name: "Slide of what touches", unit: "cm/s", row: 0, limit: null }, { name: "Hardest-working joint", unit: "× its limit", row: 1, limit: 1 }], notes: ["a note"], arrays: [{ name: "before", shape: [2, F], type: "float32" }, { name: "after", shape: [2, F], type: "float32" }], kind: "measures" }, arrays: { before: wave(1.2), after: wave(0.7) } };
if (method === "momentum") store.family.value = { message: { axes: ["landing x", "landing z"], low: [-0.4, -0.4], high: [0.4, 0.4], statuses: Array(9).fill("converged"), weights: [0, 0, 0, 0, 0.5, 0.2, 0, 0.2, 0.1], arrays: [], kind: "family_state" }, arrays: { members: Float32Array.from([-0.4, 0, 0.4].flatMap((x) => [-0.4, 0, 0.4].flatMap((z) => [x, z]))) } };
if (method === "pattern") store.scatter.value = { message: { names: ["a", "b", "c", "d", "e"], shares: [0.38, 0.2], weights: [0.6, 0.3, -0.2, 0.25, 0.05], arrays: [], kind: "scatter" }, arrays: { places: Float32Array.from([1, 0.2, -0.5, -1, 0.3, 1.5, -1.4, -0.4, 0.4, -0.2]), goal: Float32Array.from([0.5, 0.1]) } };
Object.assign(window, { store });
document.body.style.cssText += ";background:var(--panel);height:auto;overflow:auto";
render(<div style="display:flex;gap:8px;align-items:flex-start;background:var(--panel)">
  <div style="width:340px"><MethodEditor /></div><div style="width:340px"><CurveEditor /></div><div style="width:340px"><MeasuresPanel /></div>
</div>, document.getElementById("app")!);
