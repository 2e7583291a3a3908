// Files dragged over the page may be dropped anywhere; while they hover, the page says so.

import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icons";
import { endings, takeFiles } from "./dropped";
import { megabytes } from "./uploads";
import { documentState, welcome } from "../store";

export function DropOverlay() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const files = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const enter = (event: DragEvent): void => {
      if (!files(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      // Only when the pointer leaves the window: between elements there is somewhere to go.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!files(event)) return;
      event.preventDefault();
      setOver(false);
      takeFiles([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragenter", enter);
    addEventListener("dragover", enter);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragover", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  if (!over) return null;
  const limit = welcome.value?.upload_limit_bytes;
  return (
    <div class="pn-drop" data-testid="drop-overlay">
      <div>
        <Icon name="upload" size={40} />
        <strong>Drop a clip to open it</strong>
        <span>{endings("clip").join(", ")}{limit ? `, up to ${megabytes(limit)}` : ""}</span>
        {documentState.value && <span>a body to put the motion on: {endings("body").join(", ")}; a place: {[...endings("mesh"), ...endings("written")].join(", ")}</span>}
      </div>
    </div>
  );
}
