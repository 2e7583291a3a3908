// The words beside the pointer: what is under it, or how far something was moved.

import { Quaternion, Vector3 } from "three";
import type { GripMoves } from "./grips";

/** About: asking how wide it is would have the page laid out as well. */
const LETTER_PX = 6.5;

export class Tip {
  private readonly element = document.createElement("div");
  private x = 0;
  private y = 0;
  private text = "";
  private box = new DOMRect();

  constructor(private readonly host: HTMLElement) {
    this.element.className = "vp-tip";
    this.element.hidden = true;
    host.append(this.element);
  }

  follow(event: { clientX: number; clientY: number }): void {
    this.x = event.clientX;
    this.y = event.clientY;
  }

  /** Nothing where there are no words. */
  say(text: string): void {
    this.element.hidden = !text;
    if (!text) return;
    if (text !== this.text) this.element.textContent = this.text = text;
    const x = Math.min(this.x - this.box.left + 14, this.box.width - LETTER_PX * text.length - 20);
    this.element.style.transform = `translate(${x}px, ${this.y - this.box.top + 12}px)`;
  }

  /** After the picture has got another size: to ask for every move would have the page laid out every time. */
  measure(): void {
    this.box = this.host.getBoundingClientRect();
  }

  dispose(): void {
    this.element.remove();
  }
}

const signed = (value: number, digits: number): string => {
  const size = Math.abs(value).toFixed(digits);
  return `${Number(size) === 0 ? "" : value < 0 ? "−" : "+"}${size}`;
};

export function movedWords(moves: GripMoves, from: Vector3, to: Vector3): string {
  const by = (axis: "x" | "y" | "z"): string => signed(to[axis] - from[axis], 3);
  if (moves === "rise") return `${by("y")} m`;
  return moves === "floor" ? `x ${by("x")}  z ${by("z")} m` : `x ${by("x")}  y ${by("y")}  z ${by("z")} m`;
}

export function spunWords(degrees: number): string {
  return `${signed(degrees, 1)}°`;
}

export function turnedWords(from: Quaternion, to: Quaternion): string {
  return `turned ${((180 / Math.PI) * from.angleTo(to)).toFixed(1)}°`;
}
