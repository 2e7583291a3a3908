// Files that leave the studio: downloaded, or written into the project folder.

import { token } from "../connection";
import { documentState, notice, problem, send } from "../store";
import { saving } from "./ui";

export interface Format { ending: string; key: string; word: string; about: string }

export const FORMATS: Format[] = [
  { ending: "bvh", key: "bvh", word: "BVH", about: "The edited clip, for animation tools" },
  { ending: "glb", key: "glb", word: "glTF", about: "The edited clip with a body, to look at" },
  { ending: "npz", key: "npz", word: "NumPy", about: "Arrays of the edited clip" },
  { ending: "yaml", key: "recipe", word: "Recipe", about: "The edit itself: run it again with poise run" },
  { ending: "html", key: "report", word: "Report", about: "How physical it is, before and after" },
];

/** What a file of the document is called. */
export function fileName(ending: string): string {
  const stem = (documentState.value?.name ?? "clip").replace(/\.[a-z0-9]{1,5}$/i, "");
  return ending === "yaml" || ending === "html" ? `${stem}.${ending}` : `${stem}_edited.${ending}`;
}

export async function download(ending: string): Promise<void> {
  const id = documentState.value?.id;
  if (!id) return;
  if (ending === "html") notice("Making the report: a few seconds.");
  const address = `export?format=${ending}&document=${encodeURIComponent(id)}`;
  try {
    const reply = await fetch(address, { headers: { "X-Poise-Token": token() } });
    if (!reply.ok) {
      const said = await reply.json().catch(() => ({}));
      return complain(said.problem ?? `The file could not be made (${reply.status}).`);
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await reply.blob());
    link.download = fileName(ending);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    notice(`Downloaded ${link.download}.`, "good");
  } catch {
    complain("The file could not be fetched: is poise studio still running?");
  }
}

function complain(text: string): void {
  problem.value = { kind: "problem", about: "export", lines: [{ text, path: "" }] };
}

/** Where this document's recipe was saved, so that saving again asks nothing. */
const saved = new Map<string, string>();

export function save(path: string, overwrite: boolean): void {
  const id = documentState.value?.id;
  if (id && /\.ya?ml$/i.test(path)) saved.set(id, path);
  send({ kind: "save_file", path, overwrite });
}

/** Ctrl+S: the recipe to where it was saved before, or ask. */
export function saveAgain(): void {
  const id = documentState.value?.id;
  if (!id) return;
  const path = saved.get(id);
  if (path) save(path, true);
  else saving.value = "yaml";
}

/** A first save that was refused is none. */
export function forgetSaved(): void {
  const id = documentState.value?.id;
  if (id) saved.delete(id);
}
