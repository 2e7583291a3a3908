// A window over the page that wants an answer: the browser keeps the focus inside, Escape closes.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icons";

export function Dialog({ title, testid, onClose, children }: { title: string; testid: string; onClose(): void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  // Before anything is painted: until then the keys still belong to the page below.
  useLayoutEffect(() => {
    const back = document.activeElement as HTMLElement | null;
    box.current?.showModal();
    return () => back?.focus?.();
  }, []);
  return (
    <dialog ref={box} class="pn-dialog" data-testid={testid} aria-label={title} onClose={onClose}
      onKeyDown={(event) => event.stopPropagation()}
      onPointerDown={(event) => event.target === box.current && onClose()}>
      <div class="pn-dialog-inner">
        <header>
          <h2>{title}</h2>
          <button type="button" class="quiet icon" aria-label="Close" data-testid={`${testid}-close`} onClick={onClose}><Icon name="close" /></button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
