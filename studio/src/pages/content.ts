// What a page is made from: `poise/apps/report` writes it into the file as JSON.

export type Values = (number | null)[];
export type Ends = [low: number, high: number];

/** As the records of `charts.py`, which say more. */
export interface Chart {
  kind: "time" | "map" | "rows" | "dots";
  title: string;
  about: string;
  x_label: string;
  y_label: string;
  ends: Ends;
  lines: { label: string; x: Values; y: Values; color: string; dashed: boolean }[];
  outlines: { label: string; corners: [number, number][]; color: string }[];
  rows: { label: string; bars: Bar[]; marks: [number, string][]; end: string }[];
  dots: Dot[];
  include: number[];
  rule: [number, string] | null;
  spans: Ends[];
  span_name: string;
  legend: Key[];
  wide: boolean;
}
export interface Bar {
  start: number; end: number; color: string; said: string; lane: "whole" | "upper" | "lower" | "under";
  look: "solid" | "rim" | "hatched";
  /** How much of its colour a solid one has. */
  strength: number;
}
export interface Dot { label: string; x: number; y: number; group: number; said: string }
export interface Key { label: string; color: string; kind: "line" | "dashed" | "area" | "faint" | "hatched" | "outline" | "dot" }

export interface Report {
  picture: { source: string; caption: string; width: number; height: number };
  groups: [string, Figure[]][];
  charts: Chart[];
}
/** One row of a clip's table, in words. */
export interface Figure { name: string; about: string; value: string; unit: string; before: string; under: string; verdict: Verdict; change: Change }
export type Verdict = "good" | "fair" | "poor" | "";
export type Change = "better" | "worse" | "same" | "";

export interface Pattern { charts: Chart[]; heads: string[]; rows: string[][]; styles: number[] | null }

/** All clips: done ones from the worst to the best, then the failures. */
export interface Library {
  clips: string[];
  statuses: { key: string; words: string; color: string; many: number; share: string; done: boolean }[];
  /** Of every clip, by their places. */
  status: number[];
  reasons: string[];
  reason: number[];
  causes: (Cause & { status: number })[];
  /** What was said of clips. */
  said: Cause[];
  said_more: number;
  /** 1: to the file of the clip's name. */
  clip_links: (string | 1)[];
  report_links: (string | 1)[];
  lengths: Values;
  /** How many clips have outputs and figures: the first ones. */
  done: number;
  poor: number[];
  worse: number[];
  worst: number[];
  times: Values;
  figures: Spread[];
  same: number;
  least: number;
}
export interface Cause { words: string; many: number; clips: number[]; is_one: boolean }
/** One figure of all done clips. */
export interface Spread {
  key: string;
  name: string;
  group: string;
  about: string;
  unit: string;
  /** 1 where less is better, -1 where more is. */
  way: number;
  /** Values nearer than this are equal. */
  resolution: number;
  harmless: number;
  limits: [good: number, poor: number] | null;
  whole: boolean;
  bounded: boolean;
  before: Values | null;
  after: Values | null;
  under: Values | null;
  /** Words, and those before and after. */
  table: [string, string, string][];
  /** Median and tail, before and after. */
  marks: [Values, Values];
  under_words: string;
  changes: [better: number, worse: number, still_good: number, same: number] | null;
}

interface Head { title: string; kicker: string; facts: [string, string][]; summary: string[]; notes: string[]; version: string }
export type Page = Head & ({ kind: "report"; content: Report } | { kind: "pattern"; content: Pattern } | { kind: "library"; content: Library });
