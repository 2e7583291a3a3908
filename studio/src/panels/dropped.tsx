// What files from the user's disk are for: by their endings, and where those do not say it, by asking.

import { signal } from "@preact/signals";
import { documentState, edit, notice, openStep, recipe, welcome } from "../store";
import { methodOf, retargets, withCharacter, withPlace } from "../recipe";
import { Dialog } from "./dialog";
import { inStyleOf, ontoBody } from "./method_change";
import { complain, keepBeside, openClip } from "./uploads";

export const endings = (what: string): string[] => welcome.value?.endings[what] ?? [];
const is = (what: string, file: File): boolean => endings(what).some((each) => file.name.toLowerCase().endsWith(each));
/** As a file dialog wants them; those that count first. */
export const accepted = {
  clip: (): string => [...endings("clip"), ...endings("companion")].join(),
  body: (): string => [...endings("body"), ".bvh", ...endings("mesh")].join(),
  place: (): string => [...endings("written"), ...endings("mesh"), ".glb"].join(),
  mapping: (): string => endings("written").join(),
  pattern: (): string => ".npz",
};
/** What is read along with a clip. */
const COMPANIONS: [RegExp, RegExp][] = [[/\.amc$/i, /\.asf$/i], [/\.gltf$/i, /\.bin$/i]];

/** A file of which only the user knows what it is; with what it may name. */
const unclear = signal<File[] | null>(null);

/** Files that were dropped on the page, or chosen to be opened. */
export function takeFiles(files: File[]): void {
  const first = files[0];
  if (!first) return;
  const clip = files.find((each) => is("clip", each));
  if (clip && /\.npz$/i.test(clip.name) && styled()) return void (unclear.value = [clip]);
  if (clip) return openWith(clip, files);
  const body = files.find((each) => is("body", each));
  const written = files.find((each) => is("written", each));
  const mesh = files.find((each) => is("mesh", each));
  const main = body ?? written ?? mesh;
  if (!main) return void openClip(first);
  if (!documentState.value) return notice(alone(main), "bad");
  const all = withMeshes(main, files);
  if (main === written) unclear.value = all;
  else if (main === body) void keepBeside(all).then((path) => path && ontoBody(path));
  else void keepBeside(all).then((path) => path && intoPlace(path));
}

function openWith(clip: File, files: File[]): void {
  const wanted = COMPANIONS.find(([ending]) => ending.test(clip.name))?.[1];
  const companions = wanted ? files.filter((each) => wanted.test(each.name)) : [];
  if (/\.amc$/i.test(clip.name) && !companions.length)
    return complain(`${clip.name} has no skeleton of its own: choose or drop it together with its .asf file.`);
  if (files.length > 1 + companions.length) notice(`One clip at a time: opening ${clip.name}.`);
  void openClip(clip, companions);
}

/** Whether examples are what the open step works with. */
function styled(): boolean {
  return recipe.value !== null && methodOf(recipe.value, openStep.value) === "pattern";
}

/** The file that counts, first, then meshes that it may name. */
export function withMeshes(main: File, files: File[]): File[] {
  return [main, ...files.filter((each) => each !== main && is("mesh", each))];
}

const RECIPE = "A recipe names files beside it: put it into the project folder and open it from there.";

/** Why a file is of no use while no clip is open. */
function alone(file: File): string {
  if (/\.asf$/i.test(file.name)) return "An .asf is a skeleton: drop it together with an .amc file, or open a clip first to put on it.";
  if (is("written", file)) return RECIPE;
  return `Open a clip first, then drop ${file.name} again to put the motion ${is("body", file) ? "on this body" : "in this place"}.`;
}

export function intoPlace(path: string): void {
  if (recipe.value) edit(withPlace(recipe.value, path), `place ${path.split("/").pop()}`);
}

/** Asks what a file is. */
export function PurposeDialog() {
  const files = unclear.value;
  if (!files || !recipe.value) return null;
  const close = (): void => {
    unclear.value = null;
  };
  const keep = (use: (path: string) => void) => (): void => {
    close();
    void keepBeside(files).then((path) => path && use(path));
  };
  const written = is("written", files[0]!);
  const uses: [key: string, word: string, about: string, act: () => void][] = !written ? [
    ["pattern", "Examples for the pattern", "As poise pattern learn writes them", keep(inStyleOf)],
    ["clip", "A clip", "Open it as another document", () => {
      close();
      void openClip(files[0]!);
    }],
  ] : [
    ["place", "A place", "Ground and what stands on it", keep(intoPlace)],
    ["mapping", "A mapping of joints", "Which joint of the other body follows which", keep((mapping) => edit(withCharacter(recipe.value!, { mapping }), "choose the mapping"))],
    ["recipe", "A recipe", "Steps with their constraints and settings", () => {
      close();
      notice(RECIPE, "bad");
    }],
  ];
  return (
    <Dialog title={`What is ${files[0]!.name}?`} testid="purpose" onClose={close}>
      <div class="pn-choices">
        {uses.filter(([key]) => key !== "mapping" || retargets(recipe.value!)).map(([key, word, about, act]) => (
          <button key={key} type="button" class="pn-card" data-testid={`purpose-${key}`} onClick={act}><strong>{word}</strong><span>{about}</span></button>
        ))}
      </div>
    </Dialog>
  );
}
