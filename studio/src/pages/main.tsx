// A page of Poise: about one clip, a learned pattern or a batch of clips. All it shows stands in the file as JSON.

import { render } from "preact";
import "./pages.css";
import { ChartBox, mark } from "./chart";
import type { Chart, Figure, Page, Pattern, Report } from "./content";
import { LibraryContent, SaidOfClips, StatusBar } from "./library_page";
import { CHANGES, MARKS } from "./words";

function Whole({ page }: { page: Page }) {
  return (
    <>
      <header>
        <p class="kicker">{page.kicker}</p>
        <h1>{page.title}</h1>
        <dl class="facts">{page.facts.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
        {page.kind === "library" && <StatusBar library={page.content} />}
        <div class="summary">{page.summary.map((sentence) => <p>{sentence}</p>)}</div>
      </header>
      {page.kind === "report" ? <ReportContent report={page.content} /> : page.kind === "pattern" ? <PatternContent pattern={page.content} /> : <LibraryContent library={page.content} />}
      <section class="notes">
        <h2>{{ report: "How this was measured", pattern: "How this was learned", library: "Notes" }[page.kind]}</h2>
        <ul>{page.notes.map((line) => <li>{line}</li>)}</ul>
        {page.kind === "library" && <SaidOfClips library={page.content} />}
        <p>Made by Poise {page.version}.</p>
      </section>
    </>
  );
}

function Charts({ title, charts }: { title: string; charts: Chart[] }) {
  return <section aria-label="Charts"><h2>{title}</h2><div class="charts">{charts.map((chart) => <ChartBox chart={chart} />)}</div></section>;
}

function ReportContent({ report: { picture, groups, charts } }: { report: Report }) {
  return (
    <>
      <figure class="strip">
        <div class="scroll" tabIndex={0}><img src={picture.source} width={picture.width} height={picture.height} alt={picture.caption} /></div>
        <figcaption>{picture.caption}</figcaption>
      </figure>
      <section aria-label="Figures">
        <h2>In figures</h2>
        {groups.map(([group, figures]) => (
          <div class="group"><h3>{group}</h3><ul class="figures">{figures.map((figure) => <FigureRow figure={figure} />)}</ul></div>
        ))}
      </section>
      <Charts title="Frame by frame" charts={charts} />
    </>
  );
}

function FigureRow({ figure: { name, about, value, unit, before, under, verdict, change } }: { figure: Figure }) {
  return (
    <li>
      <div class="what"><span class="name">{name}</span><span class="about">{about}</span></div>
      <div class="how">
        {before && <><span class="before">{before}</span><span class="to">→</span></>}
        <b class="value">{value}{unit && <span class="unit"> {unit}</span>}</b>
        {under && <small>{under} with the contacts of the input</small>}
      </div>
      <div class="chips">
        {verdict && <span class={`chip ${verdict}`}>{MARKS[verdict]} {verdict}</span>}
        {change && <span class={`chip ${change}`}>{CHANGES[change]}</span>}
      </div>
    </li>
  );
}

function PatternContent({ pattern: { charts, heads, rows, styles } }: { pattern: Pattern }) {
  return (
    <>
      <Charts title="How the motions differ" charts={charts} />
      <section aria-label="Motions">
        <h2>Motion by motion</h2>
        <div class="group table" tabIndex={0}>
          <table id="motions">
            <thead><tr>{heads.map((head) => <th scope="col">{head}</th>)}{styles && <th scope="col">style</th>}</tr></thead>
            <tbody>
              {rows.map(([name, ...cells], n) => (
                <tr class={n ? "" : "mean"}>
                  <th scope="row">{name}</th>{cells.map((cell) => <td>{cell}</td>)}
                  {styles && <td>{n ? <><i class={`key dot ${mark(styles[n - 1]!)}`} />{styles[n - 1]! + 1}</> : "–"}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  );
}

const page = JSON.parse(document.getElementById("data")!.textContent!) as Page;
const place = document.getElementById("page")!;
place.className = page.kind;
render(<Whole page={page} />, place);
