// The constraints of the open step in their layers; dragging one to another layer changes what it yields to.

import { useState } from "preact/hooks";
import { edit, frameCount, openStep, rate, recipe, selection, takenBy } from "../store";
import { addWish, freed, intervalOf, methodOf, wishesOf, type Wish } from "../recipe";
import { isLayered, keepMove } from "./constraint_edits";
import { ConstraintRow } from "./constraint_row";
import { KINDS, LAYER_WORDS, NO_CONSTRAINTS, startingValues } from "./constraint_kinds";
import { Icon } from "./icons";
import { layersOf, toLayer, toNewLayer } from "./layers";
import { Menu } from "./menu";
import "./constraints.css";

/** Where something is being dragged to. */
type Over = { layer: number; before?: number } | { newLayer: number } | null;

export function ConstraintsPanel() {
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<Over>(null);
  const now = recipe.value;
  if (!now) return <p class="pn-faint pn-pad">Open a clip first.</p>;
  const step = openStep.value;
  const method = methodOf(now, step);
  const wishes = wishesOf(now, step);
  if (NO_CONSTRAINTS[method] && !wishes.length) return <p class="pn-faint pn-pad" data-testid="no-constraints">{NO_CONSTRAINTS[method]}</p>;
  const stages = wishes.filter((each) => !isLayered(each));
  const layers = layersOf(wishes.filter(isLayered));

  function drop(where: Over): void {
    const index = dragged;
    setDragged(null);
    setOver(null);
    if (index === null || !where || !now) return;
    const name = wishes[index]?.values.name ?? "constraint";
    if ("newLayer" in where) keepMove(toNewLayer(now, step, index, where.newLayer, isLayered), `${name} into a layer of its own`);
    else if (where.before !== index) keepMove(toLayer(now, step, index, where.layer, where.before), `${name} to layer ${where.layer}`);
  }

  const zone = (where: Over) => ({
    onDragOver: (event: DragEvent) => {
      if (dragged === null) return;
      event.preventDefault();
      event.stopPropagation();
      setOver(where);
    },
    onDrop: (event: DragEvent) => {
      if (dragged === null) return;
      event.preventDefault();
      event.stopPropagation();
      drop(where);
    },
  });
  const row = (wish: Wish) => (
    <ConstraintRow key={wish.index} wish={wish} layered={isLayered(wish)} dragged={dragged === wish.index}
      onGrab={() => setDragged(wish.index)} onLetGo={() => {
        setDragged(null);
        setOver(null);
      }} />
  );
  const gap = (priority: number) => (
    <div class={`pn-new-layer ${over && "newLayer" in over && over.newLayer === priority ? "pn-over" : ""}`} {...zone({ newLayer: priority })}>
      a new layer here
    </div>
  );
  return (
    <div class={`pn-stack ${dragged === null ? "" : "pn-dragging"}`} data-testid="constraints">
      <div class="pn-line pn-constraints-head">
        <p class="pn-faint">{LAYER_WORDS[method] ?? ""}</p>
        <AddMenu method={method} />
      </div>
      {!wishes.length && (
        <div class="pn-hint">
          <p><strong>Nothing is asked yet.</strong></p>
          <p>Click a hand or a foot in the view and drag it: the place it went to becomes a constraint. Or add one here.</p>
        </div>
      )}
      {stages.length > 0 && (
        <section class="pn-layer" aria-label="Stages of the leap">
          <h4 class="pn-layer-title">Stages of the leap</h4>
          {stages.map(row)}
        </section>
      )}
      {layers.map((layer, i) => (
        <div key={layer.priority}>
          {gap(layer.priority)}
          <section class={`pn-layer ${over && "layer" in over && over.layer === layer.priority ? "pn-over" : ""}`} data-testid={`layer-${layer.priority}`}
            aria-label={`Layer ${layer.priority}`} {...zone({ layer: layer.priority })}>
            <h4 class="pn-layer-title">Layer {layer.priority}{layers.length > 1 && i === 0 && <span>greatest</span>}</h4>
            {layer.wishes.map((wish) => (
              <div key={wish.index} class={over && "layer" in over && over.before === wish.index ? "pn-before" : ""}
                {...zone({ layer: layer.priority, before: wish.index })}>
                {row(wish)}
              </div>
            ))}
          </section>
        </div>
      ))}
      {layers.length > 0 && gap(layers.at(-1)!.priority + 1)}
    </div>
  );
}

function AddMenu({ method }: { method: string }) {
  const taken = takenBy(method);
  const add = (kind: string): void => {
    const now = recipe.value;
    if (!now) return;
    const values = startingValues(kind);
    const time = [frameCount.value, rate.value] as const;
    const free = freed(now, openStep.value, values.point ?? values.part ?? "", intervalOf(values, ...time), ...time);
    edit(addWish(free, openStep.value, kind, values), `add ${values.name}`);
    selection.value = { kind: "constraint", step: openStep.value, index: wishesOf(free, openStep.value).length };
  };
  return (
    <Menu label="Add a constraint" testid="constraint-add" look="small" side="left" disabled={!taken.length}
      entries={taken.map((kind) => ({
        label: KINDS[kind]?.word ?? kind, about: KINDS[kind]?.about, testid: `constraint-add-${kind}`, act: () => add(kind),
      }))}>
      <Icon name="plus" /> Add
    </Menu>
  );
}
