// Whose body, where, and what is made of the clip before anything is done to it.

import { documentState, edit, figures, frameCount, motions, rate, recipe, welcome } from "../store";
import type { Figure } from "../messages";
import { methodOf, withCharacter, withPlace } from "../recipe";
import { accepted, intoPlace } from "./dropped";
import { merged } from "./fields";
import { FilePick } from "./file_pick";
import { ontoBody } from "./method_change";
import { SchemaForm } from "./schema_form";

/** Without these no method knows what a joint is. */
const NEEDED = ["pelvis", ...["left", "right"].flatMap((side) =>
  ["shoulder", "elbow", "hip", "knee", "ankle"].map((limb) => `${side}_${limb}`))];
const ROBOT = /\.(xml|urdf)$/i;
const BUILD = ["limbs", "arms", "legs", "trunk"];

export function BodyPanel() {
  const now = recipe.value;
  const root = welcome.value?.recipe_schema;
  if (!now || !root) return <p class="pn-faint pn-pad">Open a clip first.</p>;
  const character: Record<string, any> = now.character ?? {};
  // Of the recipe as it is then: an upload takes its time.
  const change = (changed: Record<string, any>, merge: string): void =>
    edit(withCharacter(recipe.peek()!, changed), `body: ${Object.keys(changed).join(", ").replaceAll("_", " ")}`, merge);
  const schema = root.$defs.CharacterChoice;
  const shared = { schema, root, value: character, onChange: change, testid: "character" };
  return (
    <div class="pn-stack">
      <Facts />
      <section class="pn-section">
        <h3 class="pn-title">Body</h3>
        <SchemaForm {...shared} only={["mass_kg", "sex", "ranges"]} labels={{ ranges: "Joint ranges" }}
          found={{ mass_kg: character.mass_kg === undefined ? shownMass() : undefined }} />
        <AnotherBody character={character} onChange={change} />
        <details class="pn-fold" open={BUILD.some((key) => key in character)}>
          <summary>Build</summary>
          <SchemaForm {...shared} only={BUILD} />
        </details>
        <details class="pn-fold">
          <summary>More</summary>
          <SchemaForm {...shared} only={["table", "roles", "mapping", "heavier", "carries"]} />
        </details>
      </section>
      <section class="pn-section">
        <h3 class="pn-title">Place</h3>
        <EnvironmentChoice />
      </section>
      <section class="pn-section">
        <h3 class="pn-title">Clip</h3>
        <ClipForm />
      </section>
    </div>
  );
}

/** The body as it came. */
function capturedFigure(): Figure | undefined {
  const key = motions.value.get("before")?.figure ?? motions.value.get("after")?.figure ?? "";
  return figures.value.get(key)?.message;
}

function shownMass(): number | undefined {
  const mass = capturedFigure()?.mass_kg;
  return mass ? Math.round(mass * 10) / 10 : undefined;
}

function Facts() {
  const figure = capturedFigure();
  if (!figure) return null;
  const frames = frameCount.value;
  return (
    <section class="pn-section" data-testid="figure-facts">
      <h3 class="pn-title">{figure.name || documentState.value?.name}</h3>
      <dl class="pn-facts">
        <div><dt>Height</dt><dd>{figure.height_m.toFixed(2)} m</dd></div>
        <div><dt>Mass</dt><dd>{figure.mass_kg ? `${figure.mass_kg.toFixed(1)} kg` : "not known"}</dd></div>
        <div><dt>Joints</dt><dd>{figure.joint_names.length}</dd></div>
        <div><dt>Length</dt><dd>{(frames / rate.value).toFixed(1)} s</dd></div>
        <div><dt>Frames</dt><dd>{frames}</dd></div>
        <div><dt>Rate</dt><dd>{Number(rate.value.toFixed(3))} Hz</dd></div>
      </dl>
      <Roles figure={figure} />
    </section>
  );
}

function Roles({ figure }: { figure: Figure }) {
  const missing = NEEDED.filter((role) => !(role in figure.roles));
  const found = Object.entries(figure.roles);
  return (
    <details class="pn-fold">
      <summary>
        {missing.length ? (
          <span class="pn-poor">{missing.length} joints not recognised</span>
        ) : (
          <span><span class="pn-good">✓</span> {found.length} joints recognised</span>
        )}
      </summary>
      {missing.length > 0 && (
        <p class="pn-faint">Say under More, roles, which joints these are: {missing.map((each) => each.replace("_", " ")).join(", ")}.</p>
      )}
      <table class="pn-roles">
        <tbody>{found.map(([role, joint]) => <tr key={role}><th scope="row">{role.replaceAll("_", " ")}</th><td>{joint}</td></tr>)}</tbody>
      </table>
    </details>
  );
}

interface PickProps { character: Record<string, any>; onChange(changed: Record<string, any>, merge: string): void }

/** Bodies of the project, and clips too: their skeletons can carry the motion. */
function AnotherBody({ character, onChange }: PickProps) {
  const files = welcome.value?.files ?? [];
  const bodies = files.filter((each) => each.what === "body").map((each) => each.path);
  const clips = files.filter((each) => each.what === "clip").map((each) => each.path);
  // Filter puts a motion on another body of the same rig by itself; whatever else takes retarget.
  const put = (to: string | undefined): void => {
    const filters = methodOf(recipe.peek()!, 0) === "filter";
    if (to && (ROBOT.test(to) || !filters)) ontoBody(to);
    else onChange({ to }, "");
  };
  return (
    <FilePick label="Put it on" testid="character-to" value={character.to} none="its own body" groups={{ Bodies: bodies, "Bodies of clips": clips }} accept={accepted.body()}
      tip="Another body to put the motion on: a skeleton, a robot, or that of another clip."
      onChange={put} />
  );
}

function EnvironmentChoice() {
  const now = recipe.value!;
  const places = (welcome.value?.files ?? []).filter((each) => each.what === "place").map((each) => each.path);
  const inline = typeof now.environment === "object" && now.environment !== null;
  const put = (file: string | undefined): void => (file ? intoPlace(file) : edit(withPlace(recipe.peek()!, undefined), "level ground"));
  if (inline)
    return (
      <div class="pn-line">
        <span>Written in the recipe.</span>
        <button type="button" class="small" data-testid="environment-none" onClick={() => put(undefined)}>Level ground instead</button>
      </div>
    );
  return (
    <FilePick label="Ground" testid="environment" value={now.environment} none="level, where the feet are" groups={{ Places: places }} accept={accepted.place()}
      tip="A mesh or an environment file of the project; without one, level ground at the height that the feet show." onChange={put} />
  );
}

function ClipForm() {
  const now = recipe.value!;
  const root = welcome.value!.recipe_schema;
  const clip: Record<string, any> = typeof now.clip === "string" ? { file: now.clip } : now.clip ?? {};
  const shared = {
    schema: root.$defs.ClipChoice, root, value: clip, testid: "clip",
    onChange: (changed: Record<string, any>, merge: string) =>
      edit({ ...now, clip: merged(clip, changed) ?? {} }, `clip: ${Object.keys(changed).join(", ").replaceAll("_", " ")}`, merge),
  };
  // What the file has, as long as nothing else is made of it.
  const asIs = clip.rate_hz === undefined && clip.frames === undefined;
  const found = asIs ? { rate_hz: Number(rate.value.toFixed(3)), frames: [0, Math.max(0, frameCount.value - 1)] } : {};
  const rare = ["unit", "up", "capture_rate_hz", "animation", "skeleton"];
  return (
    <>
      <SchemaForm {...shared} only={["frames", "rate_hz", "clean"]} found={found} labels={{ frames: "Keep frames", rate_hz: "Rate", clean: "Repair first" }} />
      <details class="pn-fold" open={rare.some((key) => key in clip)}>
        <summary>How the file is read</summary>
        <SchemaForm {...shared} only={rare} labels={{ capture_rate_hz: "True rate", up: "Up axis" }} />
      </details>
    </>
  );
}
