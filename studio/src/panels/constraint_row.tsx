// One constraint: what it asks, whether it is met, its layer, and all its values when it is open.

import { useEffect, useRef } from "preact/hooks";
import { documentState, edit, frameCount, goals, openStep, rate, recipe, selection, welcome } from "../store";
import { addWish, changeWish, freeName, intervalOf, removeWish, type Wish } from "../recipe";
import { CurveEditor } from "../editors";
import { KINDS } from "./constraint_kinds";
import { isLayered, keepMove, schemaOf } from "./constraint_edits";
import { Icon } from "./icons";
import { byOne, priorityOf, toLayer } from "./layers";
import { Menu } from "./menu";
import { NumberField } from "./number_field";
import { SchemaForm } from "./schema_form";

interface RowProps { wish: Wish; layered: boolean; dragged: boolean; onGrab(): void; onLetGo(): void }

const WHEN = ["frames", "seconds", "ease", "ease_seconds", "frame", "second"];
const HELP = ["weight", "recruit"];
const LABELS = { by_m: "Move by", gravity_m_s2: "Falls at", turn_wxyz: "Turned", recruit: "Which joints help", ease: "Ease (frames)" };
/** Only shown where the recipe says it: frames are the usual way. */
const RARE = ["seconds", "ease_seconds", "second"];

export function ConstraintRow({ wish, layered, dragged, onGrab, onLetGo }: RowProps) {
  const { index, kind, values } = wish;
  const box = useRef<HTMLDivElement>(null);
  const chosen = selection.value;
  const open = chosen?.kind === "constraint" && chosen.step === openStep.value && chosen.index === index;
  useEffect(() => {
    if (open) box.current?.scrollIntoView({ block: "nearest" });
  }, [open]);

  const name: string = values.name ?? kind;
  const now = recipe.value!;
  const step = openStep.value;
  const toggle = (): void => {
    selection.value = open ? null : { kind: "constraint", step, index };
  };
  const move = (by: 1 | -1): void => keepMove(byOne(now, step, index, by, isLayered), `${name} ${by < 0 ? "up" : "down"} a layer`);
  const remove = (): void => {
    edit(removeWish(now, step, index), `remove ${name}`);
    selection.value = null;
  };
  const duplicate = (): void => {
    edit(addWish(now, step, kind, { ...values, name: freeName(now, step, name) }), `duplicate ${name}`);
  };
  return (
    <div ref={box} class={`pn-wish ${open ? "pn-wish-open" : ""} ${dragged ? "pn-wish-dragged" : ""}`} data-testid={`constraint-${index}`}>
      <div class="pn-wish-head">
        {layered ? (
          <span class="pn-grip" draggable data-testid={`constraint-${index}-grip`} title="Drag to another layer" aria-hidden="true"
            onDragStart={(event) => {
              event.dataTransfer?.setData("text/plain", name);
              if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
              if (box.current) event.dataTransfer?.setDragImage(box.current, 12, 12);
              onGrab();
            }}
            onDragEnd={onLetGo}><Icon name="grip" /></span>
        ) : <span class="pn-grip" />}
        <Met index={index} />
        <button type="button" class="quiet pn-wish-name" aria-expanded={open} data-testid={`constraint-${index}-name`} onClick={toggle}>
          <strong>{name}</strong>
          <span class="pn-faint">{KINDS[kind]?.word ?? kind}, {when(wish)}</span>
        </button>
        {layered && (
          <>
            <span class="pn-wish-priority" data-tip="Layer: 1 is the greatest">
              <NumberField name="priority" label={`Layer of ${name}`} testid={`constraint-${index}-priority`} whole least={1} value={priorityOf(wish)}
                onChange={(next) => next !== undefined && next !== priorityOf(wish) && keepMove(toLayer(now, step, index, next), `${name} to layer ${next}`)} />
            </span>
            <span class="pn-wish-moves">
              <button type="button" class="quiet" aria-label={`${name}: more important`} data-tip="More important" data-testid={`constraint-${index}-up`}
                disabled={!byOne(now, step, index, -1, isLayered)} onClick={() => move(-1)}><Icon name="up" size={12} /></button>
              <button type="button" class="quiet" aria-label={`${name}: less important`} data-tip="Less important" data-testid={`constraint-${index}-down`}
                disabled={!byOne(now, step, index, 1, isLayered)} onClick={() => move(1)}><Icon name="down" size={12} /></button>
            </span>
          </>
        )}
        <Menu label={`More about ${name}`} testid={`constraint-${index}-menu`} look="quiet small icon" side="right"
          entries={[
            { label: "Rename", icon: "recipe", testid: `constraint-${index}-rename`, act: () => rename(step, index) },
            { label: "Duplicate", icon: "copy", testid: `constraint-${index}-duplicate`, act: duplicate },
            { label: "Delete", icon: "trash", testid: `constraint-${index}-delete`, act: remove },
          ]}>⋮</Menu>
      </div>
      <Worst index={index} />
      {open && <Values wish={wish} />}
    </div>
  );
}

/** Open it with the cursor in its name. */
function rename(step: number, index: number): void {
  selection.value = { kind: "constraint", step, index };
  requestAnimationFrame(() => requestAnimationFrame(() =>
    document.querySelector<HTMLInputElement>(`[data-testid="constraint-${index}-field-name"]`)?.select()));
}

function goalsAbout(index: number) {
  return (goals.value?.message.goals ?? []).filter((each) => each.step === openStep.value && each.index === index);
}

function Met({ index }: { index: number }) {
  const about = goalsAbout(index);
  const solved = documentState.value?.solved === "yes";
  const missed = about.some((each) => each.met === false);
  const met = about.length > 0 && about.every((each) => each.met === true);
  const [look, icon, word] = missed ? (["pn-poor", "cross", "not met"] as const)
    : met ? (["pn-good", "check", "met"] as const) : (["pn-faint", "ring", "not solved yet"] as const);
  return (
    <span class={`pn-met ${look} ${solved ? "" : "pn-stale"}`} role="img" aria-label={word} data-tip={solved ? word : `${word}, before the last change`}>
      <Icon name={icon} />
    </span>
  );
}

function Worst({ index }: { index: number }) {
  const missed = goalsAbout(index).find((each) => each.met === false && each.worst);
  if (!missed) return null;
  return <p class="pn-worst" data-testid={`constraint-${index}-worst`}>off by {missed.worst}</p>;
}

function when({ values, kind }: Wish): string {
  if (kind === "move_stage") return `stage ${values.stage}`;
  if (kind === "flight_height") return `flight ${values.flight ?? 0}`;
  if (kind === "gravity") return values.flight === undefined ? "all flights" : `flight ${values.flight}`;
  if (values.frames === undefined && values.seconds === undefined && values.frame === undefined && values.second === undefined) return "all frames";
  if (values.frames === "all") return "all frames";
  if (typeof values.second === "number" && kind === "hit_at") return `${values.second} s`;
  const [first, last] = intervalOf(values, frameCount.value, rate.value);
  return first === last ? `frame ${first}` : `${first} to ${last}`;
}

function Values({ wish }: { wish: Wish }) {
  const root = welcome.value?.recipe_schema;
  const schema = schemaOf(wish.kind);
  if (!root || !schema) return null;
  const { index, values } = wish;
  const change = (changed: Record<string, any>, merge: string): void => {
    const now = recipe.value;
    if (!now) return;
    const what = Object.keys(changed).join(", ").replaceAll("_", " ");
    edit(changeWish(now, openStep.value, index, changed), `${values.name}: ${what}`, merge);
  };
  const all = Object.keys(schema.properties ?? {});
  const hidden = RARE.filter((key) => values[key] === undefined);
  const shared = { schema, root, value: values, onChange: change, testid: `constraint-${index}-field`, labels: LABELS };
  // The second point of a distance is not a time.
  const times = WHEN.filter((key) => all.includes(key) && !hidden.includes(key) && !(key === "second" && wish.kind === "keep_distance"));
  return (
    <div class="pn-wish-body">
      <SchemaForm {...shared} omit={["priority", ...times, ...hidden, ...HELP, ...(wish.kind === "follow_curve" ? ["through"] : [])]} />
      <CurveEditor />
      {times.length > 0 && (
        <details class="pn-fold" open>
          <summary>When</summary>
          <SchemaForm {...shared} only={times} />
        </details>
      )}
      {HELP.some((key) => all.includes(key)) && (
        <details class="pn-fold" open={HELP.some((key) => values[key] !== undefined)}>
          <summary>How it counts</summary>
          <SchemaForm {...shared} only={HELP} />
        </details>
      )}
    </div>
  );
}
