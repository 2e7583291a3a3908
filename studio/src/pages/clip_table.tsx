// The table of clips: ranked, filtered, a few rows at a time. Its state stands in the page's address
// (#q=walk&status=not_met&by=foot_slide.mean&of=before&from=5&below=9&worse=1&cause=2), so that a view can be linked to.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Library, Spread } from "./content";
import { CHANGES, MARKS, changed, count, number, said, valueAt, verdict } from "./words";

type Chosen = Partial<Record<"q" | "status" | "by" | "of" | "from" | "below" | "worse" | "cause", string>>;

const FIRST = 50;
const MORE = 200;
const HEADS = ["#", "clip", "report", "status", "poor", "worse", "figure", "before", "after", "with input’s contacts", "change", "length"];
/** From the figure's name to its change; a failure's reason takes their place. */
const FIGURE_CELLS = 5;
const RULE = "Ranked by the number of poor figures, then by how many times the limit of poor the worst figure is; that figure is shown (2 × poor: twice "
  + "that limit). “Worse” counts figures that got worse and are not good. Clips that failed have no figures and come last.";

const isView = (): boolean => location.hash.includes("=");
const plain = (text: string): string => text.normalize("NFC").toLowerCase();
const limit = (text: string | undefined): number => (text ? Number(text) : NaN);

/** What the address says, without what means nothing. */
function fromAddress(library: Library): Chosen {
  const told = new URLSearchParams(location.hash.slice(1));
  const isNumber = (text: string) => text.trim() !== "" && !Number.isNaN(Number(text));
  const meaning: Record<keyof Chosen, (text: string) => boolean> = {
    q: Boolean, from: isNumber, below: isNumber, cause: isNumber, worse: (text) => text === "1", of: (text) => ["before", "change"].includes(text),
    status: (text) => ["done", "failed", ...library.statuses.map((each) => each.key)].includes(text), by: (text) => library.figures.some((each) => each.key === text),
  };
  return Object.fromEntries([...told].filter(([name, text]) => meaning[name as keyof Chosen]?.(text)));
}

/** The places of clips that are left, in order. */
function find(library: Library, names: string[], chosen: Chosen, figure: Spread | undefined): number[] {
  const ranked = (n: number): number => {
    if (!figure) return n < library.done ? library.poor[n]! : NaN;
    const [before, after] = [valueAt(figure.before, n), valueAt(figure.after, n)];
    return chosen.of === "before" ? before : chosen.of === "change" ? after - before : after;
  };
  const words = plain(chosen.q ?? "").split(/\s+/).filter(Boolean);
  const [from, below] = [limit(chosen.from), limit(chosen.below)];
  const cause = chosen.cause === undefined ? null : new Set(library.causes[Number(chosen.cause)]?.clips);
  const found = names.map((_, n) => n).filter((n) => {
    const isDone = n < library.done;
    if (chosen.status === "done" ? !isDone : chosen.status === "failed" ? isDone : chosen.status && library.statuses[library.status[n]!]!.key !== chosen.status) return false;
    if (cause && !cause.has(n)) return false;
    if (!words.every((word) => names[n]!.includes(word))) return false;
    const one = ranked(n);
    if ((!Number.isNaN(from) && !(one >= from)) || (!Number.isNaN(below) && !(one < below))) return false;
    return !chosen.worse || (figure ? changed(library, figure, n) < 0 : (library.worse[n] ?? 0) > 0);
  });
  if (!figure) return found;
  const sizes = new Map(found.map((n) => {
    const one = ranked(n);
    return [n, Number.isNaN(one) ? -Infinity : !figure.way && chosen.of === "change" ? Math.abs(one) : (figure.way || 1) * one];
  }));
  return found.sort((a, b) => (sizes.get(a) === sizes.get(b) ? a - b : sizes.get(a)! < sizes.get(b)! ? 1 : -1));
}

export function ClipTable({ library }: { library: Library }) {
  const names = useMemo(() => library.clips.map(plain), [library]);
  const [chosen, setChosen] = useState<Chosen>(() => fromAddress(library));
  const [shown, setShown] = useState(FIRST);
  const figure = library.figures.find((each) => each.key === chosen.by);
  const found = useMemo(() => find(library, names, chosen, figure), [library, chosen]);
  const show = (next: Chosen) => {
    setChosen(next);
    setShown(FIRST);
  };

  useEffect(() => {
    const clips = document.getElementById("clips")!;
    if (isView()) clips.scrollIntoView();
    const follow = () => {
      // Other addresses lead to places on the page and change no filter.
      if (location.hash && !isView()) return;
      show(fromAddress(library));
      if (isView()) clips.scrollIntoView();
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [library]);

  const choose = (change: Chosen) => {
    const next = Object.fromEntries(Object.entries({ ...chosen, ...change }).filter(([, text]) => text)) as Chosen;
    const address = new URLSearchParams(next).toString();
    history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
    show(next);
  };
  const cause = chosen.cause === undefined ? undefined : library.causes[Number(chosen.cause)];
  const total = library.clips.length;
  const left = found.length - Math.min(shown, found.length);
  return (
    <>
      <Filters library={library} chosen={chosen} choose={choose} figure={figure} />
      <p id="rule" class="about">{figure ? ruleOf(figure, chosen.of) : RULE}</p>
      {chosen.cause !== undefined && (
        <p id="cause">Only: <b>{cause?.words ?? "no such cause"}</b> <button type="button" onClick={() => choose({ cause: "" })}>Show all causes</button></p>
      )}
      <p id="shown" role="status">{count(found.length - left)} of {count(found.length)} shown{found.length === total ? "" : `, filtered from ${count(total)}`}</p>
      <div class="group table" tabIndex={0} role="region" aria-label="Table of clips">
        <table id="rows">
          <thead><tr>{HEADS.map((head) => <th scope="col">{head}</th>)}</tr></thead>
          <tbody>
            {found.slice(0, shown).map((n, place) => <ClipRow key={n} library={library} n={n} place={place} figure={figure} />)}
            {!found.length && <tr><td class="none" colSpan={HEADS.length}>No clips.</td></tr>}
          </tbody>
        </table>
      </div>
      <p><button type="button" id="more" hidden={!left} onClick={() => setShown(shown + MORE)}>Show {count(Math.min(MORE, left))} more</button></p>
    </>
  );
}

function ruleOf(figure: Spread, of: string | undefined): string {
  const most = !figure.way ? "largest" : of === "change" ? "most worsened" : figure.way > 0 ? "largest" : "smallest";
  return `Ranked by ${figure.name.toLowerCase()}: the ${most} ${of === "change" ? "change of value" : `value ${of ?? "after"}`} first; clips without come last.`;
}

function Filters({ library, chosen, choose, figure }: { library: Library; chosen: Chosen; choose(change: Chosen): void; figure: Spread | undefined }) {
  const total = library.clips.length;
  const states = [["", "all", total], ["done", "written", library.done], ["failed", "failed", total - library.done], ...library.statuses.map((each) => [each.key, each.words, each.many])] as [string, string, number][];
  const field = (name: keyof Chosen) => ({
    id: name, value: chosen[name] ?? "", onInput: (event: Event) => choose({ [name]: (event.currentTarget as HTMLInputElement).value }),
  });
  return (
    <form id="filters" role="search" aria-label="Filter clips" onSubmit={(event) => event.preventDefault()}>
      <label>Name has <input type="search" autocomplete="off" {...field("q")} /></label>
      <label>Status <select {...field("status")}>{states.map(([key, words, many]) => <option value={key}>{`${words} (${count(many)})`}</option>)}</select></label>
      <label>
        Rank by{" "}
        <select {...field("by")}>
          <option value="">overall</option>
          {[...new Set(library.figures.map((each) => each.group))].map((group) => (
            <optgroup label={group}>
              {library.figures.filter((each) => each.group === group).map((each) => <option value={each.key}>{each.name + (each.unit && ` (${each.unit})`)}</option>)}
            </optgroup>
          ))}
        </select>
      </label>
      <label>its value <select disabled={!figure} {...field("of")}><option value="">after</option><option value="before">before</option><option value="change">change</option></select></label>
      <label><span id="what">{figure ? `value${figure.unit && ` (${figure.unit})`}` : "poor figures"}</span> at least <input type="number" step="any" {...field("from")} /></label>
      <label>below <input type="number" step="any" {...field("below")} /></label>
      <label class="tick"><input type="checkbox" id="worse" checked={Boolean(chosen.worse)} onChange={(event) => choose({ worse: event.currentTarget.checked ? "1" : "" })} /> only got worse</label>
      <button type="button" id="clear" onClick={() => choose({ q: "", status: "", by: "", of: "", from: "", below: "", worse: "", cause: "" })}>Clear filters</button>
    </form>
  );
}

/** A link as it is, or to the file of this name. */
function Link({ to, file, children }: { to: string | 1; file: string; children: string }) {
  if (!to) return <>{children}</>;
  return <a href={to === 1 ? `./${file.split("/").map(encodeURIComponent).join("/")}` : to}>{children}</a>;
}

function ClipRow({ library, n, place, figure }: { library: Library; n: number; place: number; figure: Spread | undefined }) {
  const name = library.clips[n]!;
  const isDone = n < library.done;
  const reason = library.reasons[library.reason[n]!]!;
  const status = library.statuses[library.status[n]!]!;
  const length = valueAt(library.lengths, n);
  return (
    <tr>
      <td>{count(place + 1)}</td>
      <th scope="row"><Link to={library.clip_links[n]!} file={name}>{name}</Link>{isDone && reason && <small>{reason}</small>}</th>
      <td>{library.report_links[n] && <Link to={library.report_links[n]!} file={`${name.replace(/\.[^.]*$/, "")}.html`}>report</Link>}</td>
      <td><span class={`chip ${status.color}`}>{status.words}</span></td>
      <td>{isDone && library.poor[n]}</td>
      <td>{isDone && library.worse[n]}</td>
      {isDone ? <FigureCells library={library} n={n} figure={figure} /> : <td class="why" colSpan={FIGURE_CELLS}>{reason}</td>}
      <td>{!Number.isNaN(length) && `${number(length)} s`}</td>
    </tr>
  );
}

function FigureCells({ library, n, figure }: { library: Library; n: number; figure: Spread | undefined }) {
  const one = figure ?? library.figures[library.worst[n]!];
  if (!one) return <>{Array.from({ length: FIGURE_CELLS }, () => <td />)}</>;
  const [before, after, under] = [valueAt(one.before, n), valueAt(one.after, n), valueAt(one.under, n)];
  const judged = verdict(one, n);
  const change = ({ 1: "better", "-1": "worse", 0: "same" } as const)[changed(library, one, n) as 1];
  return (
    <>
      <td>{one.name}<small>{figure ? one.unit : `${one.unit && `${one.unit}; `}${number(valueAt(library.times, n))} × poor`}</small></td>
      <td>{!Number.isNaN(before) && said(one, before)}</td>
      <td><b class={judged}>{(judged && `${MARKS[judged]} `) + said(one, after)}</b></td>
      <td>{!Number.isNaN(under) && said(one, under)}</td>
      <td>{change && <span class={change}>{CHANGES[change]}</span>}</td>
    </>
  );
}
