// A file of the project folder: picked from a list that can be typed in.

import { useId } from "preact/hooks";

export function FileChooser({ label, value, files, onChange, testid, title }: {
  label: string; value: string; files: string[]; onChange(path: string): void; testid: string; title?: string;
}) {
  const id = useId();
  return (
    <label class="ed-field" title={title}>
      <span>{label}</span>
      <input
        type="text" list={id} value={value} data-testid={testid} aria-label={label} spellcheck={false}
        placeholder={files.length ? "choose or type a file" : "no such file in the folder"}
        onChange={(event) => event.currentTarget.value.trim() !== value && onChange(event.currentTarget.value.trim())}
      />
      <datalist id={id}>{files.map((path) => <option key={path} value={path} />)}</datalist>
      {value && (
        <button type="button" class="ed-reset" aria-label={`${label}: none`} title="None" onClick={() => onChange("")}>×</button>
      )}
    </label>
  );
}
