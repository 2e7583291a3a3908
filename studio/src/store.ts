// What the page knows, as signals; panels read them and call the actions below.

import { batch, computed, signal } from "@preact/signals";
import { Connection, type Arrays, type Link } from "./connection";
import { putTogether } from "./motion_parts";
import type {
  DocumentState, FamilyState, Figure, FromPage, FromServer, Goals, Measures, Motion, Physics, Place,
  Problem, Progress, RunEnded, Saved, Scatter, Touch, Welcome,
} from "./messages";
import { changedConstraint, METHODS, wishesOf } from "./recipe";

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
/** `motion`: what was there of its kind when it came, which it is about. */
export interface PhysicsData { message: Physics; arrays: Arrays; motion: MotionData | null }
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
/** Something slow and rare that the server is at; empty: nothing. */
export const waiting = signal("");
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
/** What a step of deform keeps of the body that is seen. */
export const keptNow = (): Record<string, any> | undefined => figures.peek().get(current.peek()?.figure ?? "")?.message.kept;

/** Where the user has to read it: no edit of the document makes up for it. */
const KEPT_PROBLEMS = new Set(["upload"]);
/** Drags are answered by motions; what opens nothing, and bugs, by no state at all. */
const WITHOUT_STATE = new Set(["drag", "open_sample", "open_file", "message", "bug"]);
/** Whether the next state is the one that the server sends right behind a problem. */
let behindProblem = false;
let dragNumber = 0;
/** The recipe that the server has of this drag; moves differ from it in one constraint. */
let begun: Recipe | null = null;
/** Answers up to this one belong to a drag that was given up. */
let givenUp = 0;
/** Whether it is shown or not: the next one may come as what differs from it. */
let lastLive: MotionData | null = null;
let noticeNumber = 0;

export function notice(text: string, tone: Notice["tone"] = "info"): void {
  const id = ++noticeNumber;
  notices.value = [...notices.value.slice(-4), { id, tone, text }];
  setTimeout(() => (notices.value = notices.value.filter((each) => each.id !== id)), 8000);
}

const connection = new Connection(hear, (now) => {
  link.value = now;
  waiting.value = "";
  // After a break the server may be a new one: ask for what we were at.
  const id = documentState.value?.id ?? documentFromAddress();
  if (now === "open" && id) send({ kind: "open_document", id });
}, notice);

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
      const known = documentState.value;
      const other = known?.id !== message.id;
      if (!behindProblem && (other || JSON.stringify(known?.recipe) !== JSON.stringify(message.recipe))) forgetProblem();
      behindProblem = false;
      keepSelection(recipe.value, message.recipe);
      begun = null;
      documentState.value = message;
      draft.value = null;
      if (other) {
        history.replaceState(null, "", `#document=${message.id}`);
        forgetOther();
        frame.value = 0;
        selection.value = null;
        openStep.value = 0;
        playing.value = false;
        playRange.value = null;
      }
      openStep.value = Math.min(openStep.value, Math.max(0, (message.recipe.steps ?? []).length - 1));
      break;
    }
    case "figure":
      figures.value = new Map(figures.value).set(message.key, { message, arrays });
      break;
    case "motion":
      putMotion(message, arrays);
      break;
    case "forget":
      if (message.which === "live") givenUp = 0;
      forget(message.which as Which);
      break;
    case "physics": {
      const which = message.which as Which;
      const motion = motions.value.get(which) ?? null;
      // That of a drag may come when the drag is over.
      if (which === "live" && !motion) break;
      physics.value = new Map(physics.value).set(which, { message, arrays, motion });
      break;
    }
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
    case "waiting":
      waiting.value = message.text;
      break;
    case "run_ended":
      progress.value = null;
      sayEnd(message);
      break;
    case "saved":
      saySaved(message);
      break;
    case "problem":
      begun = null;
      problem.value = message;
      behindProblem = !WITHOUT_STATE.has(message.about);
      draft.value = null;
      break;
  }
}

/** Of the document before it: what was captured has come already, everything else comes behind the state. */
function forgetOther(): void {
  const captured = <T>(all: ReadonlyMap<Which, T>): Map<Which, T> => new Map([...all].filter(([which]) => which === "before"));
  motions.value = captured(motions.value);
  physics.value = captured(physics.value);
  goals.value = null;
}

/** Undo and refused edits take constraints away: another one that has its number now is not meant. */
function keepSelection(before: Recipe | null, after: Recipe): void {
  const chosen = selection.value;
  if (chosen?.kind !== "constraint" || !before) return;
  const nameIn = (where: Recipe) => wishesOf(where, chosen.step)[chosen.index]?.values.name;
  if (nameIn(before) !== nameIn(after)) selection.value = null;
}

/** What was wrong has been put right, or is no longer what one is at. */
function forgetProblem(): void {
  if (problem.value && !KEPT_PROBLEMS.has(problem.value.about)) problem.value = null;
}

function putMotion(message: Motion, arrays: Arrays): void {
  const which = message.which as Which;
  const live = which === "live";
  const made = putTogether(live ? lastLive : (motions.value.get(which) ?? null), message, arrays);
  if (!made) return;
  if (live) {
    lastLive = made;
    if (message.number <= givenUp) return;
  }
  motions.value = new Map(motions.value).set(which, made);
  if (which === "after") forget("live", "preview");
}

/** Motions that are over, with their physics. */
function forget(...gone: Which[]): void {
  const left = ([which]: [Which, unknown]): boolean => !gone.includes(which);
  motions.value = new Map([...motions.value].filter(left));
  if (gone.some((which) => physics.value.has(which))) physics.value = new Map([...physics.value].filter(left));
}

function sayEnd(message: RunEnded): void {
  const seconds = `${message.seconds.toFixed(1)} s`;
  if (message.how === "done") notice(`Done in ${seconds}.`, "good");
  else if (message.how === "cancelled") notice("Cancelled. Nothing has changed.");
}

function saySaved(message: Saved): void {
  notice([`Saved ${message.path}.`, ...message.notes].join(" "), "good");
}

/** Kinds of constraints that a method takes, the usual first. */
export function takenBy(method: string): readonly string[] {
  return welcome.value?.methods[method]?.constraints ?? [];
}

/** All methods in the order of the menu: Poise's own, then those of installed packages. */
export function methodsThere(): string[] {
  const others = Object.keys(welcome.value?.methods ?? {}).filter((each) => !(each in METHODS));
  return [...Object.keys(METHODS), ...others];
}

/** Settings by preset, of methods that have any. */
export function presetsOf(method: string): Record<string, Record<string, any>> {
  return welcome.value?.methods[method]?.presets ?? {};
}

// Actions.

/** Keep an edit of the recipe; with the same `merge` word in a row it is one step of undo. */
export function edit(changed: Recipe, label: string, merge = ""): void {
  begun = null;
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
  // The server works while panels are drawn anew.
  sendDrag(changed);
  draft.value = changed;
}

/** Solve a recipe in the middle of a drag: the whole of it once, then only the constraint that moves. */
export function sendDrag(changed: Recipe): void {
  const moved = begun && changedConstraint(begun, changed);
  if (moved) {
    send({ kind: "drag", ...moved, number: nextNumber() });
    return;
  }
  begun = changed;
  send({ kind: "begin_drag", recipe: changed, number: nextNumber() });
}

export function endDrag(): void {
  begun = null;
  givenUp = dragNumber;
  batch(() => {
    draft.value = null;
    forget("live");
  });
  send({ kind: "end_drag" });
}

export function editContacts(touches: Touch[], label: string): void {
  send({ kind: "edit_contacts", step: openStep.value, touches, label });
}

export function run(): void {
  forgetProblem();
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
