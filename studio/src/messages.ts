// Made by `python -m poise.apps.studio.typescript` from the server's records.

/** A bar of the contact lanes: a part touches, from the first frame to the last. */
export interface Touch {
  part: string;
  first: number;
  last: number;
  sliding?: boolean;
}

/** Make a document of a clip made by code. */
export interface OpenSample {
  name: string;
  kind: "open_sample";
}

/** Make a document of a clip or a recipe in the project folder. */
export interface OpenFile {
  /** Below the folder, with slashes. */
  path: string;
  kind: "open_file";
}

/** Go on with a document that there is already. */
export interface OpenDocument {
  id: string;
  kind: "open_document";
}

/** The recipe after an edit. */
export interface EditRecipe {
  recipe: Record<string, any>;
  /** What was done, for the undo button: "move right wrist". */
  label: string;
  /** Edits in a row with the same word here are one for undo, such as steps of a slider. */
  merge?: string;
  kind: "edit_recipe";
}

/** What touches when, as the user wants it; for the step that is open. */
export interface EditContacts {
  step: number;
  touches: Touch[];
  label: string;
  kind: "edit_contacts";
}

/** The recipe as a drag begins: solved at once with deform, not kept. */
export interface BeginDrag {
  recipe: Record<string, any>;
  /** Counts up; what comes back has it, and stale ones are dropped on both sides. */
  number: number;
  kind: "begin_drag";
}

/** A move of a drag: one constraint of the recipe that it began with is another now. */
export interface Drag {
  step: number;
  /** In the step's list. */
  index: number;
  /** As recipes write it: {hold_point: {...}}. */
  constraint: Record<string, any>;
  number: number;
  kind: "drag";
}

/** What its kind says, of the document as it is; ended drags show what was there before. */
export interface Command {
  kind: "end_drag" | "run_method" | "cancel_run" | "undo" | "redo" | "ask_measures" | "ask_files";
}

/** Write the edited clip, or the recipe, into the project folder. */
export interface SaveFile {
  /** Below the folder; the extension says the format (.bvh .glb .npz .yaml .html). */
  path: string;
  overwrite?: boolean;
  kind: "save_file";
}

/** A motion between the members of the family that the last run has built. */
export interface BlendFamily {
  coordinate: number[];
  number: number;
  kind: "blend_family";
}

/** One more leap of the jump controller: what the keys say. */
export interface SteerLeap {
  /** -1 to 1. */
  forward: number;
  /** -1 to 1. */
  turn: number;
  number: number;
  kind: "steer_leap";
}

/** A stretch of a leap: on the ground or in the air. */
export interface Stage {
  /** ground or flight. */
  name: string;
  first: number;
  last: number;
  /** Of a ground stage: the middle between the feet; of a flight: its highest point. */
  place_m: [number, number, number];
}

/** One array of a message in bytes. */
export interface ArrayOf {
  name: string;
  shape: number[];
  type: "float32" | "uint32" | "uint8";
}

/** A file of the project folder that can be opened. */
export interface FileEntry {
  path: string;
  bytes: number;
  what: "clip" | "recipe" | "body" | "place" | "pattern";
}

/** A document that was worked on before. */
export interface Recoverable {
  id: string;
  name: string;
  edits: number;
  /** When, as ISO time. */
  changed: string;
}

/** What a step of a method may be given. */
export interface MethodEntry {
  /** Kinds, the usual first. */
  constraints: string[];
  /** Settings that differ from the defaults, by preset. */
  presets: Record<string, Record<string, any>>;
}

/** The first message. */
export interface Welcome {
  version: string;
  /** Name of the folder that is open. */
  project: string;
  samples: string[];
  files: FileEntry[];
  documents: Recoverable[];
  /** JSON schema: fields of constraints and settings, with types, defaults and what they mean. */
  recipe_schema: Record<string, any>;
  /** All of them by name. */
  methods: Record<string, MethodEntry>;
  /** Extensions by what files are: clip, companion (of a clip), body, mesh, written. */
  endings: Record<string, string[]>;
  upload_limit_bytes: number;
  kind: "welcome";
}

/** What is in the project folder. */
export interface Files {
  files: FileEntry[];
  documents: Recoverable[];
  kind: "files";
}

/** A named point of the body. */
export interface Site {
  name: string;
  joint: number;
  offset_m: [number, number, number];
}

/** A body; motions name it. */
export interface Figure {
  key: string;
  name: string;
  joint_names: string[];
  /** -1 for the root. */
  parents: number[];
  /** Role and joint. */
  roles: Record<string, string>;
  sites: Site[];
  height_m: number;
  mass_kg: number;
  /** Content of a step of deform that keeps what this body does, but for what is asked of it. */
  kept: Record<string, any>;
  arrays: ArrayOf[];
  kind: "figure";
}

/** Ground and what stands on it, as triangles. Arrays: positions_m (V, 3), triangles (T, 3). */
export interface Place {
  /** Height at the origin, for grids. */
  ground_m: number;
  /** Of the ground. */
  up: [number, number, number];
  arrays: ArrayOf[];
  kind: "place";
}

/** A motion. Arrays: roots_m (F, 3), rotations_wxyz (F, J, 4) local. */
export interface Motion {
  which: "before" | "after" | "live" | "preview";
  figure: string;
  rate_hz: number;
  /** Of the whole clip. */
  frames: number;
  first: number;
  /** Of the drag or blend that it answers. */
  number: number;
  arrays: ArrayOf[];
  kind: "motion";
}

/** There is no such motion any more. */
export interface Forget {
  which: "before" | "after" | "live" | "preview";
  kind: "forget";
}

/** Frames, from the first to the last, in which it is in doubt whether a part touches. */
export interface Doubt {
  part: string;
  first: number;
  last: number;
  /** Lowest probability that what is said is right. */
  percent: number;
}

/** Frames from the first to the last. */
export interface Stretch {
  first: number;
  last: number;
}

/** What is drawn on top. */
export interface Physics {
  which: "before" | "after" | "live" | "preview";
  weight_n: number;
  touches: Touch[];
  /** Lanes: parts that can touch on this body. */
  parts: string[];
  stages: Stage[];
  /** By their first frames. */
  doubts: Doubt[];
  /** Where something that is not known carries the body. */
  unknown: Stretch[];
  arrays: ArrayOf[];
  kind: "physics";
}

/** Where a constraint wants a point, frame by frame: path_m of the message has its rows. */
export interface Goal {
  name: string;
  /** Its kind: hold_point. */
  constraint: string;
  step: number;
  /** In the step's list. */
  index: number;
  first: number;
  last: number;
  /** Of path_m that belongs to the first frame. */
  row: number;
  /** None: not solved yet. */
  met: boolean | null;
  /** How far off at worst, in words. */
  worst: string;
}

/** What the constraints want. Arrays: path_m (N, 3). */
export interface Goals {
  goals: Goal[];
  arrays: ArrayOf[];
  kind: "goals";
}

/** A document after anything has happened to it. */
export interface DocumentState {
  id: string;
  name: string;
  recipe: Record<string, any>;
  frames: number;
  rate_hz: number;
  /** What would be taken back; empty: nothing. */
  undo: string;
  redo: string;
  /** Whether `after` is of this recipe. */
  solved: "no" | "stale" | "solving" | "yes";
  /** converged, infeasible, ... as the method says; empty when not solved. */
  status: string;
  summary: string;
  notes: string[];
  kind: "document_state";
}

/** How far a run is. */
export interface Progress {
  method: string;
  stage: string;
  done: number;
  total: number;
  kind: "progress";
}

/** Something slow and rare goes on, such as compiling the first time. */
export interface Waiting {
  /** Empty: it is over. */
  text: string;
  kind: "waiting";
}

/** A run has ended. */
export interface RunEnded {
  how: "done" | "cancelled" | "failed";
  seconds: number;
  kind: "run_ended";
}

/** One measure before and after. */
export interface FigureRow {
  key: string;
  name: string;
  group: string;
  about: string;
  unit: string;
  before: number | null;
  after: number | null;
  verdict: "good" | "fair" | "poor" | "";
  change: "better" | "worse" | "same" | "";
}

/** A curve over time, before and after: rows of the message's arrays. */
export interface Plot {
  name: string;
  unit: string;
  row: number;
  /** A line not to be crossed. */
  limit: number | null;
}

/** Figures, and curves over time. */
export interface Measures {
  rows: FigureRow[];
  plots: Plot[];
  notes: string[];
  arrays: ArrayOf[];
  kind: "measures";
}

/** A pattern in the plane of its two strongest components. Arrays: places (N, 2), goal (2,). */
export interface Scatter {
  names: string[];
  /** Of the variance. */
  shares: number[];
  /** How much each example counts now. */
  weights: number[];
  arrays: ArrayOf[];
  kind: "scatter";
}

/** A family that can be blended. Arrays: members (M, A) coordinates of all members. */
export interface FamilyState {
  axes: string[];
  low: number[];
  high: number[];
  statuses: string[];
  /** Of members in the last blend. */
  weights: number[];
  arrays: ArrayOf[];
  kind: "family_state";
}

/** A file was written. */
export interface Saved {
  path: string;
  bytes: number;
  notes: string[];
  kind: "saved";
}

/** One thing that is wrong. */
export interface ProblemLine {
  text: string;
  /** Where in the recipe, with dots: steps.0.deform.constraints.1; empty: nowhere. */
  path: string;
}

/** Something was wrong with what was asked; nothing has changed. */
export interface Problem {
  lines: ProblemLine[];
  /** The kind of message that it answers. */
  about: string;
  kind: "problem";
}

export type FromPage = OpenSample | OpenFile | OpenDocument | EditRecipe | EditContacts | BeginDrag | Drag | Command | SaveFile | BlendFamily | SteerLeap;

export type FromServer = Welcome | Files | Figure | Place | Motion | Forget | Physics | Goals | DocumentState | Progress | Waiting | RunEnded | Measures | Scatter | FamilyState | Saved | Problem;
