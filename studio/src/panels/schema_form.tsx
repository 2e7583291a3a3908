// A form made from a JSON schema: one row a key, with its default, what it means, and the way back.

import { useId } from "preact/hooks";
import { Field, isWide } from "./fields";
import { Icon } from "./icons";
import { resolved, same, shapeOf, takesNull, unitOf, wordFor, type Schema } from "./schema";
import "./schema_form.css";

export interface SchemaFormProps {
  /** Of an object; may be a reference, or a choice between one and null. */
  schema: Schema;
  /** The whole schema, where references lead. */
  root: Schema;
  value: Record<string, any>;
  /** Keys that changed; undefined: back to the default. Edits in a row with the same `merge` are one for undo. */
  onChange(changed: Record<string, any>, merge: string): void;
  /** Fields have it with their key behind: `clip-rate_hz`. */
  testid: string;
  /** Keys to show, in this order; without it, all as they come. */
  only?: string[];
  omit?: string[];
  /** Defaults that differ from the schema's: those of a preset. */
  defaults?: Record<string, any>;
  /** Shown faintly, and where scrubbing starts, of keys without a default: what is found where nothing is said. */
  found?: Record<string, any>;
  /** Values of text fields, where the schema does not say them. */
  words?: Record<string, string[]>;
  /** What to call a key, where its own name does not say it. */
  labels?: Record<string, string>;
}

export function SchemaForm(props: SchemaFormProps) {
  const { root, value, testid } = props;
  const schema = resolved(props.schema, root);
  const properties: Record<string, Schema> = schema.properties ?? {};
  const keys = (props.only ?? Object.keys(properties)).filter((key) => key in properties && !props.omit?.includes(key));
  return (
    <div class="pn-form" data-testid={testid}>
      {keys.map((key) => <Row key={key} {...props} field={key} schema={properties[key]!} given={value?.[key] ?? (takesNull(properties[key]!) ? value?.[key] : undefined)}
        required={(schema.required ?? []).includes(key)} />)}
    </div>
  );
}

type RowProps = SchemaFormProps & { field: string; given: any; required: boolean };

function Row({ field, schema, root, given, required, onChange, testid, defaults, words, labels, found: usual }: RowProps) {
  const id = useId();
  const found = resolved(schema, root);
  const fallback = defaults?.[field] ?? found.default ?? undefined;
  const label = labels?.[field] ?? wordFor(field);
  const about: string = found.description ?? "";
  const shape = shapeOf(found, root);
  const changed = given !== undefined && !required && !same(given, fallback);
  const put = (next: any, merge: string): void => onChange({ [field]: !required && same(next, fallback) ? undefined : next }, merge);
  const none = takesNull(schema) && (
    <button type="button" class="small" aria-pressed={given === null} aria-label={`${label}: none`} data-testid={`${testid}-${field}-none`}
      onClick={() => onChange({ [field]: given === null ? undefined : null }, "")}>none</button>
  );
  const control = (
    <Field schema={schema} root={root} value={given ?? undefined} fallback={fallback ?? usual?.[field]} onChange={put} name={field} label={label}
      testid={`${testid}-${field}`} id={id} about={about ? `${id}-about` : undefined} words={words?.[field]} />
  );
  const reset = changed && (
    <button type="button" class="pn-reset quiet small icon" aria-label={`${label}: back to the default`} data-tip="Back to the default"
      data-testid={`${testid}-${field}-reset`} onClick={() => onChange({ [field]: undefined }, "")}>
      <Icon name="reset" />
    </button>
  );
  const explained = about && <span id={`${id}-about`} class="pn-hidden">{about}</span>;
  if (shape.kind === "record")
    return (
      <details class="pn-row-group" open={given !== undefined || undefined}>
        <summary data-tip={about}>{label}{changed && <span class="pn-changed" aria-label="changed">•</span>}{reset}</summary>
        {explained}
        {control}
      </details>
    );
  const wide = isWide(schema, root, field);
  // Three numbers in a row have no room for it.
  const inLabel = wide ? unitOf(field) : "";
  return (
    <div class={`pn-row ${wide ? "pn-row-wide" : ""} ${changed ? "pn-row-changed" : ""}`}>
      <span class="pn-row-head">
        <label for={id} class="pn-row-label" data-tip={about}>{label}{inLabel && <small> ({inLabel})</small>}</label>
        {reset}
      </span>
      {explained}
      <span class="pn-row-control">{given !== null && control}{none}</span>
    </div>
  );
}
