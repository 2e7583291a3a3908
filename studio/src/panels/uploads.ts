// Files from the user's disk: checked, sent with progress, opened when the server has taken them.

import { signal } from "@preact/signals";
import { token } from "../connection";
import { notice, problem, send, welcome } from "../store";

export interface Upload { name: string; share: number; stop(): void }
export const uploading = signal<Upload | null>(null);

const HINTS: [RegExp, string][] = [
  [/\.ya?ml$/i, "A recipe names files beside it: put it into the project folder and open it from there."],
  [/\.(asf|obj|stl|xml|urdf)$/i, "Bodies and places are used from the project folder: put the file there, then choose it under Body & place."],
];

/** Open the clip among some files. */
export function upload(files: File[]): void {
  const clip = files.find((each) => !HINTS.some(([ending]) => ending.test(each.name)));
  if (!clip) {
    const first = files[0];
    if (first) notice(HINTS.find(([ending]) => ending.test(first.name))![1], "bad");
    return;
  }
  if (/\.amc$/i.test(clip.name) && files.some((each) => /\.asf$/i.test(each.name))) {
    notice("An .amc is read together with its .asf: put both into the project folder and open the .amc from there.", "bad");
    return;
  }
  if (files.length > 1) notice(`One clip at a time: opening ${clip.name}.`);
  sendFile(clip);
}

function sendFile(file: File): void {
  if (uploading.value) return notice("One upload is under way already.", "bad");
  const limit = welcome.value?.upload_limit_bytes ?? Infinity;
  if (file.size > limit) return complain(`${file.name} has ${megabytes(file.size)}; at most ${megabytes(limit)} can be opened here.`);
  if (file.size === 0) return complain(`${file.name} is empty.`);
  // Not fetch: it does not say how far an upload is.
  const request = new XMLHttpRequest();
  request.open("POST", `upload?name=${encodeURIComponent(file.name)}`);
  request.setRequestHeader("X-Poise-Token", token());
  request.upload.onprogress = (event) => {
    if (event.lengthComputable && uploading.value) uploading.value = { ...uploading.value, share: event.loaded / event.total };
  };
  request.onload = () => {
    uploading.value = null;
    const said = reply(request.responseText);
    if (request.status < 300 && said.document) send({ kind: "open_document", id: said.document });
    else complain(said.problem ?? `${file.name} was not taken (${request.status}).`);
  };
  request.onerror = () => {
    uploading.value = null;
    complain(`${file.name} could not be sent: is poise studio still running?`);
  };
  request.onabort = () => {
    uploading.value = null;
    notice("Upload cancelled.");
  };
  uploading.value = { name: file.name, share: 0, stop: () => request.abort() };
  request.send(file);
}

function reply(text: string): { document?: string; problem?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function complain(text: string): void {
  problem.value = { kind: "problem", about: "upload", lines: [{ text, path: "" }] };
}

export function megabytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}
