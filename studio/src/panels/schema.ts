// Reading a JSON schema: what shape a value has, what to call it, its unit, where to start.

export type Schema = Record<string, any>;

export type Shape =
  | { kind: "number"; whole: boolean }
  | { kind: "text" }
  | { kind: "yes" }
  | { kind: "choice"; options: (string | number)[] }
  | { kind: "const"; value: unknown }
  /** A fixed number of values: a vector, first and last frame. */
  | { kind: "tuple"; items: Schema[] }
  | { kind: "list"; item: Schema }
  | { kind: "map"; item: Schema }
  | { kind: "record"; schema: Schema }
  | { kind: "either"; options: Schema[] }
  /** Anything: shown, not edited. */
  | { kind: "free" };

/** Without references and without "or null"; what stands beside a reference counts over it. */
export function resolved(schema: Schema, root: Schema): Schema {
  let found = schema;
  while (found.$ref) {
    const { $ref, ...own } = found;
    const target = String($ref).replace(/^#\//, "").split("/").reduce<any>((at, key) => at?.[key], root);
    found = { ...(target ?? {}), ...own };
  }
  if (!found.anyOf) return found;
  const { anyOf, ...own } = found;
  const options = (anyOf as Schema[]).filter((each) => each.type !== "null");
  if (options.length !== 1) return { ...own, anyOf: options };
  return resolved({ ...options[0], ...own }, root);
}

/** Whether null may be said, which is not the same as saying nothing where there is a default. */
export function takesNull(schema: Schema): boolean {
  return (schema.anyOf ?? []).some((each: Schema) => each.type === "null") && schema.default != null;
}

export function shapeOf(schema: Schema, root: Schema): Shape {
  const found = resolved(schema, root);
  if (found.anyOf) return { kind: "either", options: found.anyOf };
  if ("const" in found) return { kind: "const", value: found.const };
  if (found.enum) return { kind: "choice", options: found.enum };
  switch (found.type) {
    case "number": return { kind: "number", whole: false };
    case "integer": return { kind: "number", whole: true };
    case "string": return { kind: "text" };
    case "boolean": return { kind: "yes" };
    case "array":
      if (found.prefixItems) return { kind: "tuple", items: found.prefixItems };
      return found.items ? { kind: "list", item: found.items } : { kind: "free" };
    case "object":
      if (found.properties) return { kind: "record", schema: found };
      if (typeof found.additionalProperties === "object") return { kind: "map", item: found.additionalProperties };
      return { kind: "free" };
  }
  return { kind: "free" };
}

/** Whether a value is of this kind, by its outside. */
export function fits(value: unknown, schema: Schema, root: Schema): boolean {
  const shape = shapeOf(schema, root);
  switch (shape.kind) {
    case "number": return typeof value === "number" && (!shape.whole || Number.isInteger(value));
    case "text": return typeof value === "string";
    case "yes": return typeof value === "boolean";
    case "choice": return shape.options.includes(value as string);
    case "const": return value === shape.value;
    case "tuple":
      return Array.isArray(value) && value.length === shape.items.length
        && shape.items.every((item, i) => fits(value[i], item, root));
    case "list": return Array.isArray(value) && value.every((each) => fits(each, shape.item, root));
    case "map": case "record": return typeof value === "object" && value !== null && !Array.isArray(value);
    case "either": return shape.options.some((each) => fits(value, each, root));
    case "free": return true;
  }
}

/** A value to begin with, where there is none. */
export function startOf(schema: Schema, root: Schema): any {
  const found = resolved(schema, root);
  if (found.default != null) return found.default;
  const shape = shapeOf(found, root);
  switch (shape.kind) {
    case "number": return 0;
    case "text": return "";
    case "yes": return false;
    case "choice": return shape.options[0];
    case "const": return shape.value;
    case "tuple": return shape.items.map((each) => startOf(each, root));
    case "list": return [];
    case "map": case "free": return {};
    case "either": return startOf(shape.options[0] ?? {}, root);
    case "record": {
      const needed: string[] = found.required ?? [];
      return Object.fromEntries(needed.map((key) => [key, startOf(found.properties[key], root)]));
    }
  }
}

const UNITS: [RegExp, string][] = [
  [/_per_s$/, ""], [/_m_s2$/, "m/s²"], [/_rad_s$/, "rad/s"], [/_mm$/, "mm"], [/_cm$/, "cm"], [/_nm$/, "N·m"],
  [/_kg$/, "kg"], [/_hz$/, "Hz"], [/_deg$/, "°"], [/_m$/, "m"], [/_s$/, "s"], [/_n$/, "N"], [/_wxyz$/, ""],
];

export function unitOf(key: string): string {
  return UNITS.find(([ending]) => ending.test(key))?.[1] ?? "";
}

/** `smoothing_s` is "Smoothing". */
export function wordFor(key: string): string {
  const ending = UNITS.find(([each]) => each.test(key))?.[0];
  const bare = ending && ending.source !== "_per_s$" ? key.replace(ending, "") : key;
  const words = bare.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** How much one press of an arrow key changes a number. */
export function stepFor(key: string, whole: boolean, size: number): number {
  if (whole) return 1;
  const unit = unitOf(key);
  if (unit === "m") return 0.01;
  if (unit === "°" || unit === "Hz" || unit === "kg") return size !== 0 && Math.abs(size) < 1 ? 0.01 : 1;
  const base = Math.abs(size) || 1;
  return 10 ** (Math.floor(Math.log10(base)) - 1);
}

/** In few digits, without the dust of binary fractions. */
export function numberText(value: number): string {
  return String(Number(value.toPrecision(7)));
}

export function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
