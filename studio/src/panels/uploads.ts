// Files from the user's disk: checked, and sent with progress. What comes of them is others' business.

import { signal } from "@preact/signals";
import { token } from "../connection";
import { documentState, notice, problem, send, welcome } from "../store";

export interface Upload { name: string; share: number; stop(): void }
export const uploading = signal<Upload | null>(null);

interface Answer { document?: string; paths?: string[] }

/** Open a clip; with it go files that it cannot be read without. */
export async function openClip(clip: File, companions: File[] = []): Promise<void> {
  const answer = await post([clip, ...companions]);
  if (answer?.document) send({ kind: "open_document", id: answer.document });
}

/** Put files beside the document that is open; where the first one went, for the recipe to name. Null: it was not to be. */
export async function keepBeside(files: File[]): Promise<string | null> {
  const into = documentState.value?.id;
  if (!into) return null;
  const answer = await post(files, into);
  if (into !== documentState.value?.id) return null;
  return answer?.paths?.[0] ?? null;
}

/** Send some files as one; null: not taken, and the user knows why. */
function post(files: File[], into?: string): Promise<Answer | null> {
  const name = files[0]!.name;
  if (uploading.value) return refuse("One upload is under way already.");
  if (problem.value?.about === "upload") problem.value = null;
  const bytes = files.reduce((sum, each) => sum + each.size, 0);
  const limit = welcome.value?.upload_limit_bytes ?? Infinity;
  if (bytes > limit) return refuse(`${name} has ${megabytes(bytes)}; at most ${megabytes(limit)} can be opened here.`);
  const empty = files.find((each) => each.size === 0);
  if (empty) return refuse(`${empty.name} is empty.`);
  const said = new URLSearchParams(into ? { into } : {});
  for (const each of files) {
    said.append("name", each.name);
    said.append("bytes", String(each.size));
  }
  return new Promise((done) => {
    // Not fetch: it does not say how far an upload is.
    const request = new XMLHttpRequest();
    const end = (answer: Answer | null, why = ""): void => {
      uploading.value = null;
      if (why) complain(why);
      done(answer);
    };
    request.open("POST", `upload?${said}`);
    request.setRequestHeader("X-Poise-Token", token());
    request.upload.onprogress = (event) => {
      if (event.lengthComputable && uploading.value) uploading.value = { ...uploading.value, share: event.loaded / event.total };
    };
    request.onload = () => {
      const { problem: why, ...answer } = reply(request.responseText);
      if (request.status < 300) end(answer);
      else end(null, why ?? `${name} was not taken (${request.status}).`);
    };
    request.onerror = () => end(null, `${name} could not be sent: is poise studio still running?`);
    request.onabort = () => {
      notice("Upload cancelled.");
      end(null);
    };
    uploading.value = { name, share: 0, stop: () => request.abort() };
    request.send(new Blob(files));
  });
}

function reply(text: string): Answer & { problem?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

async function refuse(why: string): Promise<null> {
  complain(why);
  return null;
}

/** Stays until it is read. */
export function complain(text: string): void {
  problem.value = { kind: "problem", about: "upload", lines: [{ text, path: "" }] };
}

export function megabytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}
