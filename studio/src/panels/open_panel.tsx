// What can be opened: samples, a file from the disk, what is in the project, what was left.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { documentState, send, welcome } from "../store";
import type { FileEntry } from "../messages";
import { Icon, type IconName } from "./icons";
import { accepted, intoPlace, takeFiles } from "./dropped";
import { inStyleOf, ontoBody } from "./method_change";
import { megabytes, uploading } from "./uploads";

/** A plain word about each sample. */
const SAMPLE_WORDS: Record<string, string> = {
  walk: "Steady steps, straight ahead",
  run: "One foot at a time, then none",
  jump: "A long jump from standing",
  hop: "Forward on the left leg",
  reach: "The right hand goes for a point",
  golf: "A two-handed swing",
  squat: "Down and up, feet still",
  stand: "Hardly anything, to start from",
};

const KINDS: Record<FileEntry["what"], { word: string; icon: IconName; does: string }> = {
  clip: { word: "Clips", icon: "file", does: "Open" },
  recipe: { word: "Recipes", icon: "recipe", does: "Open" },
  body: { word: "Bodies", icon: "body", does: "Put the motion on this body" },
  place: { word: "Places", icon: "place", does: "Put the motion in this place" },
  pattern: { word: "Patterns", icon: "chevrons", does: "Edit in the style of these examples" },
};

const FIRST_FILES = 60;

export function OpenPanel() {
  // Documents and saved files have come since the page was opened.
  useEffect(() => send({ kind: "ask_files" }), []);
  return (
    <div class="pn-stack">
      <UploadBox />
      <Section title="Samples"><Samples /></Section>
      <Section title={`In ${welcome.value?.project ?? "the project"}`}><ProjectFiles /></Section>
      <Recent />
    </div>
  );
}

function Section({ title, children }: { title: string; children: JSX.Element | null }) {
  return (
    <section class="pn-section">
      <h3 class="pn-title">{title}</h3>
      {children}
    </section>
  );
}

export function Samples() {
  const names = welcome.value?.samples ?? [];
  return (
    <div class="pn-cards">
      {names.map((name) => (
        <button key={name} type="button" class="pn-card" data-testid={`open-sample-${name}`} onClick={() => send({ kind: "open_sample", name })}>
          <strong>{name}</strong>
          <span>{SAMPLE_WORDS[name] ?? "Made by code"}</span>
        </button>
      ))}
    </div>
  );
}

export function UploadBox() {
  const now = uploading.value;
  if (now)
    return (
      <div class="pn-upload" role="status" data-testid="upload-progress">
        <span class="pn-upload-name">{now.name}</span>
        <progress max={1} value={now.share} aria-label={`Sending ${now.name}`} />
        <button type="button" class="small" data-testid="upload-cancel" onClick={now.stop}>Cancel</button>
      </div>
    );
  return (
    <label class="pn-upload pn-upload-pick">
      <Icon name="upload" />
      <span><strong>Choose a clip</strong> or drop it anywhere</span>
      <input type="file" class="pn-hidden" data-testid="upload-input" multiple accept={accepted.clip()}
        onChange={(event) => {
          takeFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }} />
    </label>
  );
}

export function ProjectFiles() {
  const [wanted, setWanted] = useState("");
  const [all, setAll] = useState(false);
  const files = welcome.value?.files ?? [];
  const word = wanted.trim().toLowerCase();
  const found = files.filter((each) => each.path.toLowerCase().includes(word));
  const cut = all ? found : found.slice(0, FIRST_FILES);
  return (
    <div class="pn-files">
      <div class="pn-line">
        <input type="search" placeholder={`Filter ${files.length} files`} aria-label="Filter files" data-testid="file-filter" value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)} />
        <button type="button" class="icon" aria-label="Look again" data-tip="Look again what is in the folder" data-testid="files-refresh"
          onClick={() => send({ kind: "ask_files" })}>
          <Icon name="reset" />
        </button>
      </div>
      {(Object.keys(KINDS) as FileEntry["what"][]).map((what) => {
        const listed = cut.filter((each) => each.what === what);
        if (!listed.length) return null;
        return (
          <div key={what} role="group" aria-label={KINDS[what].word}>
            <h4 class="pn-kind">{KINDS[what].word}</h4>
            <ul class="pn-file-list">{listed.map((each) => <li key={each.path}><FileRow file={each} /></li>)}</ul>
          </div>
        );
      })}
      {found.length > cut.length && (
        <button type="button" class="small quiet" onClick={() => setAll(true)}>Show all {found.length}</button>
      )}
      {!found.length && <p class="pn-faint">{files.length ? "No file has that in its name." : "No clips here yet."}</p>}
    </div>
  );
}

function FileRow({ file }: { file: FileEntry }) {
  const { icon, does } = KINDS[file.what];
  const needsDocument = file.what !== "clip" && file.what !== "recipe";
  const slash = file.path.lastIndexOf("/") + 1;
  return (
    <button type="button" class="quiet pn-file" data-testid={`open-file-${file.path}`} disabled={needsDocument && !documentState.value}
      aria-label={`${does}: ${file.path}`} data-tip={`${file.path}\n${does}`} onClick={() => open(file)}>
      <Icon name={icon} />
      <span class="pn-file-name"><span class="pn-faint pn-file-folder">{file.path.slice(0, slash)}</span><span class="pn-file-own">{file.path.slice(slash)}</span></span>
      <span class="pn-faint">{megabytes(file.bytes)}</span>
    </button>
  );
}

function open(file: FileEntry): void {
  if (file.what === "body") ontoBody(file.path);
  else if (file.what === "place") intoPlace(file.path);
  else if (file.what === "pattern") inStyleOf(file.path);
  else send({ kind: "open_file", path: file.path });
}

export function Recent() {
  const documents = welcome.value?.documents ?? [];
  if (!documents.length) return null;
  return (
    <Section title="Worked on before">
      <ul class="pn-file-list">
        {documents.map((each) => (
          <li key={each.id}>
            <button type="button" class="quiet pn-file" data-testid={`open-document-${each.id}`} aria-current={each.id === documentState.value?.id}
              onClick={() => send({ kind: "open_document", id: each.id })}>
              <Icon name="clock" />
              <span class="pn-file-name">{each.name}</span>
              <span class="pn-faint">{each.edits === 1 ? "1 edit" : `${each.edits} edits`}, {ago(each.changed)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const AGO: [number, Intl.RelativeTimeFormatUnit][] = [[60, "second"], [60, "minute"], [24, "hour"], [Infinity, "day"]];

function ago(time: string): string {
  let size = (Date.parse(time) - Date.now()) / 1000;
  if (!Number.isFinite(size)) return time;
  for (const [many, unit] of AGO) {
    if (Math.abs(size) < many) return new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" }).format(Math.round(size), unit);
    size /= many;
  }
  return time;
}
