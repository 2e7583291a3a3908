// A bar between two areas that changes the size of one: dragged, or with the arrow keys.

import { useRef } from "preact/hooks";

interface SplitterProps {
  label: string;
  /** The bar is vertical between columns, horizontal between rows. */
  along: "vertical" | "horizontal";
  size: number;
  least: number;
  most: number;
  /** 1: the area grows as the pointer goes right or down; -1: the other way. */
  sign: 1 | -1;
  onSize(size: number): void;
  /** Double click, Enter: fold the area. */
  onFold(): void;
  testid: string;
}

const KEY_PX = 16;

export function Splitter({ label, along, size, least, most, sign, onSize, onFold, testid }: SplitterProps) {
  const start = useRef<{ at: number; size: number } | null>(null);
  const put = (wanted: number): void => onSize(Math.round(Math.min(Math.max(least, most), Math.max(least, wanted))));
  const at = (event: PointerEvent): number => (along === "vertical" ? event.clientX : event.clientY);

  function keys(event: KeyboardEvent): void {
    const more = along === "vertical" ? "ArrowRight" : "ArrowDown";
    const less = along === "vertical" ? "ArrowLeft" : "ArrowUp";
    if (event.key === more) put(size + sign * KEY_PX);
    else if (event.key === less) put(size - sign * KEY_PX);
    else if (event.key === "Home") put(least);
    else if (event.key === "End") put(most);
    else if (event.key === "Enter") onFold();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div class={`pn-splitter pn-splitter-${along}`} role="separator" tabIndex={0} aria-label={label} aria-orientation={along}
      aria-valuenow={size} aria-valuemin={least} aria-valuemax={most} data-testid={testid}
      onKeyDown={keys} onDblClick={onFold}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { at: at(event), size };
      }}
      onPointerMove={(event) => {
        if (start.current) put(start.current.size + sign * (at(event) - start.current.at));
      }}
      onPointerUp={() => (start.current = null)} onPointerCancel={() => (start.current = null)} />
  );
}
