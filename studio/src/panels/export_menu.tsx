// The export menu, and the dialog that asks where in the project a file goes.

import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { documentState, notices, problem, send, welcome } from "../store";
import { Dialog } from "./dialog";
import { download, fileName, forgetSaved, FORMATS, save } from "./exports";
import { Icon } from "./icons";
import { Menu } from "./menu";
import { saving } from "./ui";

export function ExportMenu() {
  // The recipe can always be had; of a recipe that has not been run there is no clip.
  const unsolved = documentState.value?.solved !== "yes";
  const lacks = (key: string): boolean => unsolved && key !== "recipe";
  return (
    <Menu label="Export" testid="export" side="right" disabled={!documentState.value}
      entries={[
        "Download",
        ...FORMATS.map((each) => ({
          label: `${each.word} (.${each.ending})`, about: lacks(each.key) ? "Run it first" : each.about, testid: `export-${each.key}`,
          disabled: lacks(each.key), act: () => void download(each.ending),
        })),
        `Save into ${welcome.value?.project ?? "the project"}`,
        ...FORMATS.map((each) => ({
          label: `${each.word} (.${each.ending})…`, testid: `save-${each.key}`, disabled: lacks(each.key),
          act: () => (saving.value = each.ending),
        })),
      ]}>
      <Icon name="export" /> Export
    </Menu>
  );
}

export function SaveDialog() {
  return saving.value === null ? null : <SaveForm key={saving.value} ending={saving.value} />;
}

function SaveForm({ ending }: { ending: string }) {
  const [path, setPath] = useState(fileName(ending));
  const [overwrite, setOverwrite] = useState(false);
  const [refused, setRefused] = useState("");
  const asked = useRef("");
  const since = useRef(0);
  const box = useRef<HTMLInputElement>(null);
  // After the dialog has opened, which takes the focus first.
  useEffect(() => {
    const waiting = requestAnimationFrame(() => {
      box.current?.focus();
      box.current?.setSelectionRange(0, path.lastIndexOf("."));
    });
    return () => cancelAnimationFrame(waiting);
  }, []);
  const word = FORMATS.find((each) => each.ending === ending)?.word ?? ending;
  const exists = welcome.value?.files.some((each) => each.path === path) ?? false;
  const close = (): void => {
    saving.value = null;
  };
  // The answer is a notice or a problem, like everybody else's.
  useSignalEffect(() => {
    const refusal = problem.value?.about === "save_file" ? problem.value : null;
    const said = notices.value.some((each) => each.id > since.current && each.text.startsWith(`Saved ${asked.current}`));
    if (!asked.current) return;
    if (said) {
      send({ kind: "ask_files" });
      close();
    } else if (refusal) {
      setRefused(refusal.lines.map((each) => each.text).join(" "));
      problem.value = null;
      asked.current = "";
      forgetSaved();
    }
  });
  return (
    <Dialog title={`Save ${word.toLowerCase()} into ${welcome.value?.project ?? "the project"}`} testid="save-dialog" onClose={close}>
      <form class="pn-form" onSubmit={(event) => {
        event.preventDefault();
        setRefused("");
        const wanted = path.trim();
        asked.current = wanted.toLowerCase().endsWith(`.${ending}`) ? wanted : `${wanted}.${ending}`;
        since.current = notices.value.at(-1)?.id ?? 0;
        save(asked.current, overwrite);
      }}>
        <label class="pn-save-path">
          <span>File</span>
          <input type="text" ref={box} data-testid="save-path" value={path} required spellcheck={false} autocomplete="off"
            onInput={(event) => setPath(event.currentTarget.value)} />
        </label>
        <label class="pn-line">
          <input type="checkbox" data-testid="save-overwrite" checked={overwrite} onChange={(event) => setOverwrite(event.currentTarget.checked)} />
          Replace the file if there is one{exists && <span class="pn-fair"> (there is)</span>}
        </label>
        {refused && <p class="pn-poor" role="alert">{refused}</p>}
        <div class="pn-dialog-buttons">
          <button type="button" onClick={close}>Cancel</button>
          <button type="submit" class="primary" data-testid="save-confirm">Save</button>
        </div>
      </form>
    </Dialog>
  );
}
