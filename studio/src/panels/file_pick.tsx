// A file for the recipe to name: of the project folder, typed, or sent from the user's disk.

import { useRef, useState } from "preact/hooks";
import { withMeshes } from "./dropped";
import { Icon } from "./icons";
import { keepBeside, uploading } from "./uploads";

interface FilePickProps {
  label: string; testid: string; value: string | undefined;
  /** What no file means; without it there has to be one. */
  none?: string;
  groups: Record<string, string[]>;
  tip: string;
  /** Endings that can be sent, those of the file itself before those of what it names. */
  accept: string;
  onChange(file: string | undefined): void;
}

const OTHER = "\0other";
/** Where the server keeps what was sent: not a path to show. */
const SENT = /^\.poise\//;

export function FilePick({ label, testid, value, none, groups, tip, accept, onChange }: FilePickProps) {
  const [other, setOther] = useState(false);
  const known = Object.values(groups).flat();
  const sent = value !== undefined && SENT.test(value);
  const typing = other || (value !== undefined && !sent && !known.includes(value));
  return (
    <div class="pn-row pn-row-pick">
      <label class="pn-row-label" for={`pick-${testid}`} data-tip={tip}>{label}</label>
      <span class="pn-row-control pn-pick">
        <select id={`pick-${testid}`} data-testid={testid} value={typing ? OTHER : value ?? ""}
          onChange={(event) => {
            const picked = event.currentTarget.value;
            setOther(picked === OTHER);
            if (picked !== OTHER) onChange(picked || undefined);
          }}>
          {none !== undefined ? <option value="">{none}</option> : value === undefined && <option value="" disabled>choose…</option>}
          {sent && <optgroup label="From your disk"><option value={value}>{value.split("/").pop()}</option></optgroup>}
          {Object.entries(groups).map(([word, files]) => files.length > 0 && (
            <optgroup key={word} label={word}>{files.map((each) => <option key={each} value={each}>{each}</option>)}</optgroup>
          ))}
          <option value={OTHER}>another file…</option>
        </select>
        {typing && (
          <input type="text" data-testid={`${testid}-path`} aria-label={`${label}: file in the project`} placeholder="folder/file" value={value ?? ""} spellcheck={false}
            onChange={(event) => onChange(event.currentTarget.value.trim() || undefined)} />
        )}
        <UploadButton label={label} testid={`${testid}-upload`} accept={accept} onPath={(path) => {
          setOther(false);
          onChange(path);
        }} />
      </span>
    </div>
  );
}

interface UploadButtonProps { label: string; testid: string; accept: string; onPath(path: string): void }

function UploadButton({ label, testid, accept, onPath }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const take = async (files: File[]): Promise<void> => {
    // By the order of endings: a robot before its meshes.
    const rank = (file: File): number => accept.split(",").findIndex((ending) => file.name.toLowerCase().endsWith(ending));
    const main = [...files].sort((a, b) => rank(a) - rank(b)).find((each) => rank(each) >= 0) ?? files[0];
    const path = main && (await keepBeside(withMeshes(main, files)));
    if (path) onPath(path);
  };
  const now = uploading.value;
  return (
    <>
      <button type="button" class="small" data-testid={testid} aria-label={`${label}: upload a file`} data-tip="A file from your disk: it is kept beside the document"
        disabled={now !== null} onClick={() => input.current?.click()}>
        <Icon name="upload" /> {now ? `${Math.round(100 * now.share)} %` : "Upload…"}
      </button>
      <input ref={input} type="file" hidden multiple accept={accept} data-testid={`${testid}-input`}
        onChange={(event) => {
          void take([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }} />
    </>
  );
}
