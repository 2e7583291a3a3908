// The page of a batch: its clips by status, what failed and why, every figure, and the table of clips.

import { ClipTable } from "./clip_table";
import type { Cause, Library } from "./content";
import { Spreads, filterLink } from "./spread";
import { clips, count } from "./words";

const MOST_CAUSES = 40;
/** Clips that a line names; the table has them all. */
const MOST_NAMES = 100;

/** A bar in the colours of the statuses; below it, each with its number, a filter. */
export function StatusBar({ library }: { library: Library }) {
  if (!library.clips.length) return null;
  return (
    <>
      <div class="statusbar" aria-hidden="true">{library.statuses.map(({ color, many }) => <i class={`part ${color}`} style={{ flexGrow: many }} />)}</div>
      <ul class="statuses" aria-label="Clips by status">
        {library.statuses.map(({ key, words, color, many, share }) => (
          <li><a href={filterLink({ status: key })}><i class={`key area ${color}`} /><b>{count(many)}</b> {words} <small>{share}</small></a></li>
        ))}
      </ul>
    </>
  );
}

export function LibraryContent({ library }: { library: Library }) {
  const causes = library.causes.map((cause, place) => ({ ...cause, place, done: library.statuses[cause.status]!.done }));
  const missed = causes.filter((cause) => cause.done);
  const failed = causes.filter((cause) => !cause.done);
  return (
    <>
      <nav class="jump" aria-label="On this page"><a href="#failures">Failures</a><a href="#figures">Before and after</a><a href="#clips">Clips, the worst first</a></nav>
      <section id="failures" aria-label="Failures">
        <h2>What failed, and why</h2>
        {!failed.length && <p>{library.clips.length ? "Nothing: every clip came through." : "Nothing."}</p>}
        <Causes library={library} causes={failed} />
        {missed.length > 0 && <h2>Written, but a goal missed</h2>}
        <Causes library={library} causes={missed} />
      </section>
      <section id="figures" aria-label="Figures"><h2>Before and after, all clips</h2><Spreads library={library} /></section>
      <section id="clips" aria-label="Clips"><h2>Clips, the worst first</h2><ClipTable library={library} /></section>
    </>
  );
}

export function SaidOfClips({ library }: { library: Library }) {
  if (!library.said.length) return null;
  return (
    <>
      <h3>Said of clips</h3>
      {library.said.map((cause) => <OneCause library={library} cause={cause} />)}
      {library.said_more > 0 && <p>And {count(library.said_more)} more that are rarer.</p>}
    </>
  );
}

function Causes({ library, causes }: { library: Library; causes: (Library["causes"][number] & { place: number })[] }) {
  const rest = causes.slice(MOST_CAUSES);
  return (
    <>
      {causes.slice(0, MOST_CAUSES).map((cause) => <OneCause library={library} cause={cause} place={cause.place} status={library.statuses[cause.status]} />)}
      {rest.length > 0 && <p>And {count(rest.length)} more causes, of {clips(rest.reduce((sum, cause) => sum + cause.many, 0))}; see the table.</p>}
    </>
  );
}

/** A line that opens to its clips. */
function OneCause({ library, cause, place, status }: { library: Library; cause: Cause; place?: number; status?: Library["statuses"][number] }) {
  const shown = cause.clips.slice(0, MOST_NAMES);
  const own = (n: number): string => (cause.is_one || place === undefined ? "" : library.reasons[library.reason[n]!]!);
  return (
    <details class="cause">
      <summary><b class="many">{count(cause.many)}</b> {status && <span class={`chip ${status.color}`}>{status.words}</span>} <span class="why">{cause.words}</span></summary>
      {place !== undefined && <p><a href={filterLink({ cause: place })}>Show them in the table</a></p>}
      <ul>
        {shown.map((n) => <li>{library.clips[n]}{own(n) && <small>{own(n)}</small>}</li>)}
        {cause.many > shown.length && <li>and {clips(cause.many - shown.length)} more</li>}
      </ul>
    </details>
  );
}
