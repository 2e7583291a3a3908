// The socket to the server: JSON one way, JSON or bytes the other, and coming back after a break.

import type { ArrayOf, FromPage, FromServer } from "./messages";

export type Arrays = Record<string, Float32Array | Uint32Array | Uint8Array>;
export type Listener = (message: FromServer, arrays: Arrays) => void;
export type Link = "connecting" | "open" | "lost" | "refused";

const TYPES = { float32: Float32Array, uint32: Uint32Array, uint8: Uint8Array };
const REFUSED = 4401;
const TOO_SLOW = 4408;
const LONGEST_WAIT_MS = 5000;

/** The secret of this server: behind the `#` of the address it was opened with, which no server sees; then kept for this tab. */
export function token(): string {
  const said = new URLSearchParams(location.hash.slice(1));
  const given = said.get("token");
  if (given) {
    sessionStorage.setItem("poise-token", given);
    said.delete("token");
    history.replaceState(null, "", location.pathname + (said.size ? `#${said}` : ""));
  }
  return sessionStorage.getItem("poise-token") ?? "";
}

/** An address with another secret in a tab that is open already: browsers do not load the page again by themselves. */
addEventListener("hashchange", () => {
  if (!new URLSearchParams(location.hash.slice(1)).has("token")) return;
  token();
  location.reload();
});

export function unpack(bytes: ArrayBuffer): [FromServer, Arrays] {
  const view = new DataView(bytes);
  const length = view.getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  let at = Math.ceil((4 + length) / 8) * 8;
  const arrays: Arrays = {};
  for (const each of head.arrays as ArrayOf[]) {
    const kind = TYPES[each.type];
    const count = each.shape.reduce((a, b) => a * b, 1);
    arrays[each.name] = new kind(bytes, at, count);
    at = Math.ceil((at + count * kind.BYTES_PER_ELEMENT) / 8) * 8;
  }
  return [head as FromServer, arrays];
}

export class Connection {
  private socket: WebSocket | null = null;
  private waiting: FromPage[] = [];
  private tries = 0;

  constructor(
    private readonly hear: Listener,
    private readonly changed: (link: Link) => void,
    private readonly tell: (words: string) => void,
  ) {}

  connect(): void {
    this.changed("connecting");
    const address = new URL("socket", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    address.search = "";
    // The token goes as a subprotocol: not into any log of addresses.
    const socket = new WebSocket(address, ["poise", token() || "none"]);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.tries = 0;
      this.changed("open");
      for (const each of this.waiting.splice(0)) socket.send(JSON.stringify(each));
    };
    socket.onmessage = (event) => {
      if (typeof event.data === "string") this.hear(JSON.parse(event.data), {});
      else this.hear(...unpack(event.data));
    };
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      if (event.code === REFUSED) return this.changed("refused");
      this.changed("lost");
      if (event.code === TOO_SLOW) this.tell(`${event.reason} It connects again, and shows all that there is.`);
      this.tries += 1;
      setTimeout(() => this.connect(), Math.min(LONGEST_WAIT_MS, 200 * 2 ** this.tries));
    };
    this.socket = socket;
  }

  /** Send now, or as soon as there is a connection (drags are not kept: they would be stale). */
  send(message: FromPage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else if (message.kind !== "drag" && message.kind !== "begin_drag") this.waiting.push(message);
  }
}
