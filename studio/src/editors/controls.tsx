// Small controls that all editors share.

import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { newGesture, onceAFrame } from "./editing";

interface SliderProps {
  label: string; value: number; min: number; max: number; step: number;
  /** In words, beside the slider. */
  shown?: string;
  /** `merge` is the same through one gesture. */
  onInput(value: number, merge: string): void;
  onReset?(): void;
  /** Not the default. */
  changed?: boolean;
  title?: string; testid?: string; compact?: boolean;
}

export function Slider(props: SliderProps) {
  const gesture = useRef("");
  const latest = useRef(props);
  latest.current = props;
  const tell = useMemo(
    () => onceAFrame((value: number) => latest.current.onInput(value, gesture.current)), [],
  );
  const begin = () => (gesture.current = newGesture(props.label));
  return (
    <div class={`ed-slider${props.compact ? " ed-compact" : ""}${props.changed ? " ed-changed" : ""}`} title={props.title}>
      <label>
        <span>{props.label}</span>
        <input
          type="range" min={props.min} max={props.max} step={props.step} value={props.value}
          aria-valuetext={props.shown} aria-label={props.label} data-testid={props.testid}
          onPointerDown={begin} onFocus={begin}
          onInput={(event) => tell(event.currentTarget.valueAsNumber)}
        />
      </label>
      <output>{props.shown ?? props.value}</output>
      {props.onReset && (
        <button
          type="button" class="ed-reset" disabled={!props.changed} onClick={props.onReset}
          aria-label={`${props.label}: back to the default`} title="Back to the default"
        >↺</button>
      )}
    </div>
  );
}

interface NumberProps {
  label: string; value: number | null | undefined;
  onChange(value: number | undefined): void;
  min?: number; max?: number; step?: number; title?: string; testid?: string; unit?: string;
  /** Only the box; the label is for screen readers. */
  bare?: boolean; placeholder?: string; disabled?: boolean;
}

/** A number that counts when it is left or Enter is pressed, not at every key. */
export function NumberBox({ label, value, onChange, unit, bare, testid, title, ...rest }: NumberProps) {
  const box = (
    <input
      {...rest} type="number" step={rest.step ?? "any"} value={value ?? ""} aria-label={label}
      data-testid={testid} title={bare ? (title ?? label) : undefined}
      onChange={(event) => {
        const typed = event.currentTarget.valueAsNumber;
        const low = Math.max(rest.min ?? -Infinity, typed);
        if (event.currentTarget.value === "") onChange(undefined);
        else if (Number.isFinite(typed)) onChange(Math.min(rest.max ?? Infinity, low));
        else event.currentTarget.value = String(value ?? "");
      }}
    />
  );
  if (bare) return box;
  return (
    <label class="ed-field" title={title}>
      <span>{label}</span>
      {box}
      {unit && <small>{unit}</small>}
    </label>
  );
}

interface SwitchProps {
  label: string; on: boolean; onChange(on: boolean): void;
  /** For screen readers, where the label alone does not say what it is about. */
  name?: string;
  title?: string; testid?: string; disabled?: boolean; note?: string;
}

export function Switch({ label, name, on, onChange, title, testid, disabled, note }: SwitchProps) {
  return (
    <label class="ed-switch" title={title}>
      <input
        type="checkbox" role="switch" checked={on} disabled={disabled} data-testid={testid} aria-label={name}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}{note && <small> {note}</small>}</span>
    </label>
  );
}

interface ChoiceProps {
  label: string; value: string; options: Record<string, string>;
  onChange(value: string): void; testid?: string; titles?: Record<string, string>; hidden?: boolean;
}

/** One of a few, all to be seen. */
export function Choice({ label, value, options, onChange, testid, titles, hidden }: ChoiceProps) {
  return (
    <div class="ed-field" role="group" aria-label={label}>
      {!hidden && <span>{label}</span>}
      <div class="ed-choice">
        {Object.entries(options).map(([key, text]) => (
          <button
            type="button" key={key} aria-pressed={key === value} title={titles?.[key]}
            data-testid={testid && `${testid}-${key}`} onClick={() => key !== value && onChange(key)}
          >{text}</button>
        ))}
      </div>
    </div>
  );
}

interface PickProps {
  label: string; value: string; options: Record<string, string>; onChange(value: string): void;
  testid?: string; title?: string; bare?: boolean;
}

export function Pick({ label, value, options, onChange, testid, title, bare }: PickProps) {
  const list = (
    <select
      value={value} aria-label={label} data-testid={testid}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {Object.entries(options).map(([key, text]) => <option key={key} value={key}>{text}</option>)}
    </select>
  );
  if (bare) return list;
  return <label class="ed-field" title={title}><span>{label}</span>{list}</label>;
}

interface SectionProps { title: string; children: ComponentChildren; about?: string; testid?: string; closed?: boolean }

/** A part of an editor that can be folded away. */
export function Section({ title, children, about, testid, closed }: SectionProps) {
  return (
    <details class="ed-section" open={!closed} data-testid={testid}>
      <summary>{title}</summary>
      {about && <p class="ed-about">{about}</p>}
      {children}
    </details>
  );
}
