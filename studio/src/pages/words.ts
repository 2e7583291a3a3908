// Numbers and verdicts in words, as `words.py` has them.

import type { Change, Library, Spread, Values, Verdict } from "./content";

export const MARKS: Record<Verdict, string> = { good: "✓", fair: "~", poor: "!", "": "" };
export const CHANGES: Record<Change, string> = { better: "▲ better", worse: "▼ worse", same: "= same", "": "" };

export const count = (many: number): string => String(many).replace(/\B(?=(\d{3})+$)/g, "\u202f");
export const clips = (many: number): string => `${count(many)} clip${many === 1 ? "" : "s"}`;

/** Halves go to the even digit. What is one exactly is a sum of powers of two. */
function fixed(x: number, decimals: number): string {
  const power = 10 ** decimals;
  const low = Math.floor(x * power);
  const half = x * power - low === 0.5 && Number.isInteger(x * 2 ** (decimals + 1));
  return half ? ((low % 2 ? low + 1 : low) / power).toFixed(decimals) : x.toFixed(decimals);
}

export function number(x: number): string {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size >= 1000) return fixed(x, 0).replace(/\B(?=(\d{3})+$)/g, " ");
  if (size < 5e-4) return "0";
  return fixed(x, size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.095 ? 2 : 3).replace("-", "−");
}

export function said(figure: Spread, x: number): string {
  if (Math.abs(x) >= 1e7) return x.toExponential(2).replace("e+", "e");
  return figure.whole && Number.isFinite(x) ? fixed(x, 0) : number(x);
}

export const valueAt = (column: Values | null, n: number): number => column?.[n] ?? NaN;

/** 1 better, -1 worse, 0 same, NaN unknown. */
export function changed(library: Library, figure: Spread, n: number): number {
  if (!figure.way) return NaN;
  const least = figure.way > 0 ? figure.harmless : -Infinity;
  const [before, after] = [figure.before, figure.after].map((of) => Math.max(valueAt(of, n), least)) as [number, number];
  const scale = Math.max(Math.abs(before), Math.abs(after), library.least);
  const gain = figure.way * (before / scale - after / scale);
  const same = Math.abs(gain) < library.same || Math.abs(before - after) < figure.resolution;
  return same ? 0 : Math.sign(gain);
}

export function verdict(figure: Spread, n: number): Verdict {
  const after = valueAt(figure.after, n);
  if (!figure.limits || Number.isNaN(after)) return "";
  const [good, poor] = figure.limits;
  if (figure.way * after <= figure.way * good) return "good";
  return figure.way * after > figure.way * poor ? "poor" : "fair";
}
