// What the page knows, as signals; panels read them and call the actions below.

import { batch, computed, signal } from "@preact/signals";
import { Connection, type Arrays, type Link } from "./connection";
import type {
  DocumentState, FamilyState, Figure, FromPage, FromServer, Goals, Measures, Motion, Physics, Place,
  Problem, Progress, RunEnded, Saved, Scatter, Touch, Welcome,
} from "./messages";

export type Which = "before" | "after" | "live" | "preview";
export type Recipe = Record<string, any>;

/** A body with its arrays. */
export interface FigureData { message: Figure; arrays: Arrays }
/** A motion, whole: what came in pieces has been put together. */
export interface MotionData {
  which: Which; figure: string; rate: number; frames: number; joints: number;
  /** frames x 3 */
  roots: Float32Array;
  /** frames x joints x 4, wxyz, local */
  rotations: Float32Array;
  /** Counts up with every change. */
  version: number;
}
export interface PhysicsData { message: Physics; arrays: Arrays }
/** What is selected: a joint, role or site by name, or a constraint, a stage, a contact bar. */
export type Selection =
  | { kind: "point"; name: string }
  | { kind: "constraint"; step: number; index: number; point?: number }
  | { kind: "stage"; index: number }
  | { kind: "touch"; index: number }
  | null;
export interface Notice { id: number; tone: "info" | "good" | "bad"; text: string }

export const link = signal<Link>("connecting");
export const welcome = signal<Welcome | null>(null);
export const documentState = signal<DocumentState | null>(null);
export const figures = signal<ReadonlyMap<string, FigureData>>(new Map());
export const motions = signal<ReadonlyMap<Which, MotionData>>(new Map());
export const physics = signal<ReadonlyMap<Which, PhysicsData>>(new Map());
export const place = signal<{ message: Place; arrays: Arrays } | null>(null);
export const goals = signal<{ message: Goals; arrays: Arrays } | null>(null);
export const measures = signal<{ message: Measures; arrays: Arrays } | null>(null);
export const scatter = signal<{ message: Scatter; arrays: Arrays } | null>(null);
export const family = signal<{ message: FamilyState; arrays: Arrays } | null>(null);
export const progress = signal<Progress | null>(null);
export const problem = signal<Problem | null>(null);
export const notices = signal<Notice[]>([]);

/** Where the cursor is: frames, may be between two while playing. */
export const frame = signal(0);
export const playing = signal(false);
/** 1 is the clip's own speed; negative plays backwards (J, K, L). */
export const speed = signal(1);
export const loop = signal(true);
/** First and last frame that playback keeps to; null: the whole clip. */
export const playRange = signal<[number, number] | null>(null);
export const selection = signal<Selection>(null);
/** Which step of the recipe the panels are about. */
export const openStep = signal(0);
/** A recipe in the middle of a drag, shown instead of the document's. */
export const draft = signal<Recipe | null>(null);
export const gizmo = signal<"translate" | "rotate" | "none">("translate");
export const shown = signal({
  skin: true, bones: false, before: true, trails: false, footprints: true, support: true,
  com: true, zmp: true, forces: true, goals: true, grid: true,
});
export const theme = signal<"light" | "dark" | "system">(
  (localStorage.getItem("poise-theme") as "light" | "dark" | null) ?? "system",
);

export const recipe = computed<Recipe | null>(() => draft.value ?? documentState.value?.recipe ?? null);
export const frameCount = computed(() => documentState.value?.frames ?? 0);
export const rate = computed(() => documentState.value?.rate_hz ?? 30);
/** The motion to look at: while dragging the live one, else the result, else the capture. */
export const current = computed<MotionData | null>(() => {
  const all = motions.value;
  return all.get("live") ?? all.get("preview") ?? all.get("after") ?? all.get("before") ?? null;
});

let dragNumber = 0;
let dragAnswered = 0;
let noticeNumber = 0;

export function notice(text: string, tone: Notice["tone"] = "info"): void {
  const id = ++noticeNumber;
  notices.value = [...notices.value.slice(-4), { id, tone, text }];
  setTimeout(() => (notices.value = notices.value.filter((each) => each.id !== id)), 8000);
}

const connection = new Connection(hear, (now) => {
  link.value = now;
  // After a break the server may be a new one: ask for what we were at.
  const id = documentState.value?.id ?? documentFromAddress();
  if (now === "open" && id) send({ kind: "open_document", id });
});

export function start(): void {
  connection.connect();
}

export function send(message: FromPage): void {
  connection.send(message);
}

function documentFromAddress(): string {
  return new URLSearchParams(location.hash.slice(1)).get("document") ?? "";
}

function hear(message: FromServer, arrays: Arrays): void {
  batch(() => understand(message, arrays));
}

function understand(message: FromServer, arrays: Arrays): void {
  switch (message.kind) {
    case "welcome":
      welcome.value = message;
      break;
    case "files":
      if (welcome.value) welcome.value = { ...welcome.value, ...message, kind: "welcome" };
      break;
    case "document_state": {
      const other = documentState.value?.id !== message.id;
      documentState.value = message;
      draft.value = null;
      if (other) {
        history.replaceState(null, "", `#document=${message.id}`);
        frame.value = 0;
        selection.value = null;
        openStep.value = 0;
        playing.value = false;
        playRange.value = null;
      }
      openStep.value = Math.min(openStep.value, Math.max(0, message.step_count - 1));
      break;
    }
    case "figure":
      figures.value = new Map(figures.value).set(message.key, { message, arrays });
      break;
    case "motion":
      putMotion(message, arrays);
      break;
    case "forget": {
      const left = new Map(motions.value);
      left.delete(message.which as Which);
      motions.value = left;
      const bare = new Map(physics.value);
      bare.delete(message.which as Which);
      physics.value = bare;
      break;
    }
    case "physics":
      physics.value = new Map(physics.value).set(message.which as Which, { message, arrays });
      break;
    case "place":
      place.value = { message, arrays };
      break;
    case "goals":
      goals.value = { message, arrays };
      break;
    case "measures":
      measures.value = { message, arrays };
      break;
    case "scatter":
      scatter.value = { message, arrays };
      break;
    case "family_state":
      family.value = { message, arrays };
      break;
    case "progress":
      progress.value = message;
      break;
    case "run_ended":
      progress.value = null;
      sayEnd(message);
      break;
    case "saved":
      saySaved(message);
      break;
    case "problem":
      problem.value = message;
      draft.value = null;
      break;
  }
}

function putMotion(message: Motion, arrays: Arrays): void {
  const which = message.which as Which;
  if (which === "live") {
    if (message.number < dragAnswered) return;
    dragAnswered = message.number;
  }
  const roots = arrays.roots_m as Float32Array;
  const rotations = arrays.rotations_wxyz as Float32Array;
  const count = roots.length / 3;
  const joints = rotations.length / 4 / Math.max(1, count);
  const all = new Map(motions.value);
  let known = all.get(which);
  // A part of a live motion changes what came before it, or the result that the drag began from.
  if (which === "live" && !known) known = all.get("after") ?? all.get("before");
  const whole = message.first === 0 && count === message.frames;
  const fits = known && known.figure === message.figure && known.frames === message.frames;
  if (!whole && !(known && fits)) return;
  const version = (all.get(which)?.version ?? 0) + 1;
  const shared = { which, figure: message.figure, rate: message.rate_hz, frames: message.frames, joints, version };
  if (whole) all.set(which, { ...shared, roots, rotations });
  else if (known) {
    const own = all.get(which) === known;
    const merged = own ? known.roots : known.roots.slice();
    const turned = own ? known.rotations : known.rotations.slice();
    merged.set(roots, 3 * message.first);
    turned.set(rotations, 4 * joints * message.first);
    all.set(which, { ...shared, roots: merged, rotations: turned });
  }
  if (which === "after") {
    all.delete("live");
    all.delete("preview");
  }
  motions.value = all;
}

function sayEnd(message: RunEnded): void {
  const seconds = `${message.seconds.toFixed(1)} s`;
  if (message.how === "done") notice(`Done in ${seconds}.`, "good");
  else if (message.how === "cancelled") notice("Cancelled. Nothing has changed.");
}

function saySaved(message: Saved): void {
  notice([`Saved ${message.path}.`, ...message.notes].join(" "), "good");
}

// Actions.

/** Keep an edit of the recipe; with the same `merge` word in a row it is one step of undo. */
export function edit(changed: Recipe, label: string, merge = ""): void {
  draft.value = changed;
  send({ kind: "edit_recipe", recipe: changed, label, merge });
}

/** A number for whatever is answered by a live motion: later ones win. */
export function nextNumber(): number {
  dragNumber += 1;
  return dragNumber;
}

/** Show an edit that is still being dragged; solved at once, not kept. */
export function drag(changed: Recipe): void {
  draft.value = changed;
  send({ kind: "drag", recipe: changed, number: nextNumber() });
}

export function endDrag(): void {
  draft.value = null;
  const left = new Map(motions.value);
  left.delete("live");
  motions.value = left;
  send({ kind: "end_drag" });
}

export function editContacts(touches: Touch[], label: string): void {
  send({ kind: "edit_contacts", step: openStep.value, touches, label });
}

export function run(): void {
  send({ kind: "run_method" });
}

export function cancel(): void {
  send({ kind: "cancel_run" });
}

export function undo(): void {
  send({ kind: "undo" });
}

export function redo(): void {
  send({ kind: "redo" });
}
