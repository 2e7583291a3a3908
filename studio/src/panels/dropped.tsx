// What files from the user's disk are for: by their endings, and where those do not say it, by asking.

import { signal } from "@preact/signals";
import { documentState, edit, notice, openStep, recipe } from "../store";
import { methodOf, retargets, withCharacter, withPlace } from "../recipe";
import { Dialog } from "./dialog";
import { inStyleOf, ontoBody } from "./method_change";
import { complain, keepBeside, openClip } from "./uploads";

/** As a file dialog wants them. */
export const ENDINGS = {
  clip: ".bvh,.amc,.asf,.glb,.gltf,.bin,.npz",
  body: ".xml,.mjcf,.urdf,.asf,.bvh,.obj,.stl",
  place: ".yaml,.yml,.obj,.stl,.glb",
  mapping: ".yaml,.yml",
  pattern: ".npz",
};
const CLIP = /\.(bvh|amc|glb|gltf|npz)$/i;
const BODY = /\.(xml|mjcf|urdf|asf)$/i;
const MESH = /\.(obj|stl)$/i;
const WRITTEN = /\.ya?ml$/i;
/** What is read along with a clip. */
const COMPANIONS: [RegExp, RegExp][] = [[/\.amc$/i, /\.asf$/i], [/\.gltf$/i, /\.bin$/i]];

/** A file of which only the user knows what it is; with what it may name. */
const unclear = signal<File[] | null>(null);

/** Files that were dropped on the page, or chosen to be opened. */
export function takeFiles(files: File[]): void {
  const first = files[0];
  if (!first) return;
  const clip = files.find((each) => CLIP.test(each.name));
  if (clip && /\.npz$/i.test(clip.name) && styled()) return void (unclear.value = [clip]);
  if (clip) return openWith(clip, files);
  const body = files.find((each) => BODY.test(each.name));
  const written = files.find((each) => WRITTEN.test(each.name));
  const mesh = files.find((each) => MESH.test(each.name));
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
  return [main, ...files.filter((each) => each !== main && MESH.test(each.name))];
}

const RECIPE = "A recipe names files beside it: put it into the project folder and open it from there.";

/** Why a file is of no use while no clip is open. */
function alone(file: File): string {
  if (/\.asf$/i.test(file.name)) return "An .asf is a skeleton: drop it together with an .amc file, or open a clip first to put on it.";
  if (WRITTEN.test(file.name)) return RECIPE;
  return `Open a clip first, then drop ${file.name} again to put the motion ${BODY.test(file.name) ? "on this body" : "in this place"}.`;
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
  const written = WRITTEN.test(files[0]!.name);
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
