// One value of a schema as a control; lists, maps and alternatives are made of such.

import { useState } from "preact/hooks";
import { listFor, startFor, wordsFor } from "./body_names";
import { Icon } from "./icons";
import { NumberField } from "./number_field";
import { fits, numberText, resolved, same, shapeOf, startOf, unitOf, wordFor, type Schema } from "./schema";
import { SchemaForm } from "./schema_form";

export interface FieldProps {
  schema: Schema;
  root: Schema;
  /** Undefined: not said, the default counts. */
  value: any;
  fallback: any;
  onChange(value: any, merge: string): void;
  /** Its key in the recipe. */
  name: string;
  label: string;
  testid: string;
  id?: string;
  /** Id of the element that explains it. */
  about?: string;
  /** Words that a text may be, where the schema does not say. */
  words?: string[];
}

const AXES: Record<number, string[]> = { 3: ["x", "y", "z"], 4: ["w", "x", "y", "z"] };
const PAIRS: Record<string, string[]> = {
  frames: ["from", "to"], seconds: ["from", "to"], ease: ["in", "out"], ease_seconds: ["in", "out"],
};

/** Needs a line of its own below its label. */
export function isWide(schema: Schema, root: Schema, name: string): boolean {
  const shape = shapeOf(schema, root);
  if (shape.kind === "tuple") return shape.items.length > 2;
  if (shape.kind === "either") return !loose(shape.options, root) && name !== "clean";
  return shape.kind === "list" || shape.kind === "map" || shape.kind === "record";
}

export function Field(props: FieldProps) {
  const { schema, root, value, fallback, onChange, name, label, testid, id, about } = props;
  const shape = shapeOf(schema, root);
  const common = { id, "data-testid": testid, "aria-label": label, "aria-describedby": about };
  switch (shape.kind) {
    case "number":
      return (
        <NumberField value={value} fallback={fallback} name={name} label={label} whole={shape.whole} unit={unitOf(name)}
          onChange={onChange} id={id} testid={testid} about={about} />
      );
    case "yes":
      return (
        <input type="checkbox" {...common} checked={Boolean(value ?? fallback)}
          onChange={(event) => onChange(event.currentTarget.checked, "")} />
      );
    case "choice":
      return <Choice {...props} options={shape.options.map(String)} />;
    case "const":
      return <span class="pn-fixed">{String(shape.value)}</span>;
    case "text":
      if (name === "axes") return <Axes {...props} />;
      if (props.words ?? wordsFor(name)) return <Choice {...props} options={props.words ?? wordsFor(name)!} />;
      return <Text {...props} />;
    case "tuple":
      return <Tuple {...props} items={shape.items} />;
    case "list":
      return <List {...props} item={shape.item} />;
    case "map":
      return <Map {...props} item={shape.item} />;
    case "record":
      return (
        <SchemaForm schema={shape.schema} root={root} value={value ?? {}} testid={testid}
          onChange={(changed, merge) => onChange(merged(value, changed), merge)} />
      );
    case "either":
      return loose(shape.options, root) ? <Text {...props} numbers /> : <Either {...props} options={shape.options} />;
    case "free":
      return <code class="pn-fixed">{value === undefined ? "–" : JSON.stringify(value)}</code>;
  }
}

/** With some values changed; undefined when nothing is left. */
export function merged(value: Record<string, any> | undefined, changed: Record<string, any>): Record<string, any> | undefined {
  const all = { ...(value ?? {}), ...changed };
  for (const key of Object.keys(all)) if (all[key] === undefined) delete all[key];
  return Object.keys(all).length ? all : undefined;
}

/** Text or a number: one box takes both. */
function loose(options: Schema[], root: Schema): boolean {
  return options.every((each) => ["text", "number"].includes(shapeOf(each, root).kind));
}

function Text({ value, fallback, onChange, name, label, testid, id, about, numbers }: FieldProps & { numbers?: boolean }) {
  const [typed, setTyped] = useState<string | null>(null);
  const commit = (): void => {
    if (typed === null) return;
    const text = typed.trim();
    setTyped(null);
    const next = numbers && text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
    if (next !== (value ?? "")) onChange(next === "" ? undefined : next, "");
  };
  return (
    <input type="text" id={id} data-testid={testid} aria-label={label} aria-describedby={about} autocomplete="off" spellcheck={false}
      list={listFor(name)} value={typed ?? (value === undefined || value === null ? "" : String(value))}
      placeholder={fallback == null ? "–" : String(fallback)}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={commit} onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
        else if (event.key === "Escape" && typed !== null) {
          setTyped(null);
          event.stopPropagation();
        }
      }} />
  );
}

function Choice({ value, fallback, onChange, label, testid, id, about, options }: FieldProps & { options: string[] }) {
  const now = value ?? fallback ?? "";
  return (
    <select id={id} data-testid={testid} aria-label={label} aria-describedby={about} value={String(now)}
      onChange={(event) => onChange(event.currentTarget.value || undefined, "")}>
      {(fallback == null || now === "") && <option value="">–</option>}
      {!options.includes(String(now)) && now !== "" && <option value={String(now)}>{String(now)}</option>}
      {options.map((each) => <option key={each} value={each}>{each.replaceAll("_", " ")}</option>)}
    </select>
  );
}

function Axes({ value, fallback, onChange, label, testid }: FieldProps) {
  const now: string = value ?? fallback ?? "xyz";
  const toggled = (axis: string): string => ["x", "y", "z"].filter((each) => now.includes(each) !== (each === axis)).join("");
  return (
    <span class="pn-axes" role="group" aria-label={label} data-testid={testid}>
      {["x", "y", "z"].map((axis) => (
        <button key={axis} type="button" class="small" aria-pressed={now.includes(axis)} aria-label={`${label} ${axis}`}
          data-testid={`${testid}-${axis}`} disabled={now === axis} onClick={() => onChange(toggled(axis), "")}>
          {axis}
        </button>
      ))}
    </span>
  );
}

function Tuple({ items, ...props }: FieldProps & { items: Schema[] }) {
  const { root, value, fallback, onChange, name, label, testid, about } = props;
  const letters = PAIRS[name] ?? AXES[items.length] ?? [];
  const now: any[] | undefined = Array.isArray(value) ? value : undefined;
  const base: any[] = now ?? (Array.isArray(fallback) ? fallback : items.map((each) => startOf(each, root)));
  return (
    <span class="pn-vector" role="group" aria-label={label} aria-describedby={about} data-testid={testid}>
      {items.map((item, i) => {
        const shape = shapeOf(item, root);
        const changed = (next: any, merge: string): void =>
          onChange(base.map((each, k) => (k === i ? next ?? 0 : each)), merge);
        const shared = {
          value: now?.[i], fallback: Array.isArray(fallback) ? fallback[i] : undefined, onChange: changed, name,
          label: `${label} ${letters[i] ?? i + 1}`, testid: `${testid}-${i}`,
        };
        if (shape.kind === "number")
          return <NumberField key={i} {...shared} whole={shape.whole} axis={letters[i]} unit={items.length < 3 && i === items.length - 1 ? unitOf(name) : ""} />;
        return <Field key={i} {...shared} schema={item} root={root} />;
      })}
    </span>
  );
}

function Either({ options, ...props }: FieldProps & { options: Schema[] }) {
  const { root, value, fallback, onChange, name, label, testid } = props;
  const now = value ?? fallback;
  const which = now == null ? -1 : options.findIndex((each) => fits(now, each, root));
  const chosen = options[which];
  const pick = (index: number): void => {
    const option = options[index];
    if (!option) return onChange(undefined, "");
    const start = startFor(name);
    onChange(start !== undefined && fits(start, option, root) ? start : startOf(option, root), "");
  };
  const constant = chosen && shapeOf(chosen, root).kind === "const";
  return (
    <span class="pn-either">
      <select aria-label={`${label}: how it is given`} data-testid={`${testid}-how`} value={which}
        onChange={(event) => pick(Number(event.currentTarget.value))}>
        {(fallback == null || which < 0) && <option value={-1}>–</option>}
        {options.map((each, i) => <option key={i} value={i}>{wordOf(each, root, name)}</option>)}
      </select>
      {chosen && !constant && (
        <Field {...props} key={which} schema={chosen} value={value} fallback={fits(fallback, chosen, root) ? fallback : undefined} />
      )}
    </span>
  );
}

function wordOf(option: Schema, root: Schema, name: string): string {
  const shape = shapeOf(option, root);
  switch (shape.kind) {
    case "const": return String(shape.value);
    case "yes": return "yes or no";
    case "number": return name.startsWith("ease") ? "both ends" : "number";
    case "text": return name === "target" ? "a point" : "text";
    case "tuple":
      if (name.startsWith("ease")) return "each end";
      return PAIRS[name] ? "from, to" : shape.items.length === 3 ? "x, y, z" : `${shape.items.length} values`;
    case "list": return name === "displacement_m" ? "keys in time" : "list";
    default: return "values";
  }
}

function List({ item, ...props }: FieldProps & { item: Schema }) {
  const { root, onChange, name, label, testid } = props;
  const shape = shapeOf(item, root);
  const now: any[] = props.value ?? props.fallback ?? [];
  if (shape.kind === "text") return <Tags {...props} now={now} />;
  if (shape.kind === "number") return <Numbers {...props} now={now} />;
  const put = (i: number, next: any, merge: string): void => onChange(now.map((each, k) => (k === i ? next : each)), merge);
  const one = wordFor(name).toLowerCase();
  return (
    <div class="pn-list" role="group" aria-label={label} data-testid={testid}>
      {now.map((each, i) => (
        <div class="pn-list-item" key={i}>
          {shape.kind === "record" ? (
            <SchemaForm schema={item} root={root} value={each} testid={`${testid}-${i}`}
              onChange={(changed, merge) => put(i, merged(each, changed) ?? {}, merge)} />
          ) : (
            <Field schema={item} root={root} value={each} fallback={undefined} name={name} label={`${label} ${i + 1}`}
              testid={`${testid}-${i}`} onChange={(next, merge) => put(i, next, merge)} />
          )}
          <button type="button" class="quiet small icon danger" aria-label={`Remove ${one} ${i + 1}`}
            data-testid={`${testid}-${i}-remove`} onClick={() => onChange(now.filter((_, k) => k !== i), "")}>
            <Icon name="close" />
          </button>
        </div>
      ))}
      <button type="button" class="small" data-testid={`${testid}-add`} onClick={() => onChange([...now, startOf(item, root)], "")}>
        <Icon name="plus" /> Add
      </button>
    </div>
  );
}

function Tags({ now, onChange, name, label, testid, about }: FieldProps & { now: string[] }) {
  const [typed, setTyped] = useState("");
  const add = (): void => {
    const fresh = typed.split(",").map((each) => each.trim()).filter((each) => each && !now.includes(each));
    setTyped("");
    if (fresh.length) onChange([...now, ...fresh], "");
  };
  return (
    <span class="pn-tags" role="group" aria-label={label} aria-describedby={about} data-testid={testid}>
      {now.map((each) => (
        <span class="pn-tag" key={each}>
          {each}
          <button type="button" class="quiet" aria-label={`Remove ${each}`} onClick={() => onChange(now.filter((other) => other !== each), "")}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      <input type="text" value={typed} list={listFor(name)} placeholder="add" aria-label={`Add to ${label}`} data-testid={`${testid}-add`}
        autocomplete="off" spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)} onBlur={add}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === ",") {
            event.preventDefault();
            add();
          } else if (event.key === "Backspace" && typed === "" && now.length) onChange(now.slice(0, -1), "");
        }} />
    </span>
  );
}

function Numbers({ now, onChange, label, testid, about, id }: FieldProps & { now: number[] }) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = now.map(numberText).join(", ");
  const read = (text: string): number[] => text.split(/[\s,;]+/).filter(Boolean).map(Number);
  const bad = typed !== null && !read(typed).every(Number.isFinite);
  const commit = (): void => {
    if (typed !== null && !bad && !same(read(typed), now)) onChange(read(typed).length ? read(typed) : undefined, "");
    setTyped(null);
  };
  return (
    <input type="text" id={id} data-testid={testid} aria-label={label} aria-describedby={about} aria-invalid={bad} value={typed ?? shown}
      placeholder="numbers, with commas" autocomplete="off"
      onInput={(event) => setTyped(event.currentTarget.value)} onBlur={commit}
      onKeyDown={(event) => event.key === "Enter" && commit()} />
  );
}

function Map({ item, ...props }: FieldProps & { item: Schema }) {
  const { root, onChange, name, label, testid } = props;
  const [fresh, setFresh] = useState("");
  const now: Record<string, any> = props.value ?? props.fallback ?? {};
  const add = (): void => {
    const key = fresh.trim();
    setFresh("");
    if (!key || key in now) return;
    const start = resolved(item, root).type === "number" ? 1 : startOf(item, root);
    onChange({ ...now, [key]: start }, "");
  };
  return (
    <div class="pn-map" role="group" aria-label={label} data-testid={testid}>
      {Object.entries(now).map(([key, value]) => (
        <div class="pn-map-row" key={key}>
          <span class="pn-map-key">{key}</span>
          <Field schema={item} root={root} value={value} fallback={undefined} name={name} label={`${label}: ${key}`}
            testid={`${testid}-${key}`} onChange={(next, merge) => onChange(merged(now, { [key]: next }), merge)} />
          <button type="button" class="quiet small icon danger" aria-label={`Remove ${key}`} onClick={() => onChange(merged(now, { [key]: undefined }), "")}>
            <Icon name="close" />
          </button>
        </div>
      ))}
      <div class="pn-map-row">
        <input type="text" value={fresh} list={listFor(name)} placeholder="name" aria-label={`New entry of ${label}`} data-testid={`${testid}-key`}
          autocomplete="off" spellcheck={false} onInput={(event) => setFresh(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && add()} />
        <button type="button" class="small" disabled={!fresh.trim()} onClick={add} data-testid={`${testid}-add`}>
          <Icon name="plus" /> Add
        </button>
      </div>
    </div>
  );
}
