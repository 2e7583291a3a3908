// A body seen from behind, so that its left is left; spots on it are switches.

export interface Spot { name: string; on: boolean; label?: string; faint?: boolean; disabled?: boolean }

/** Where roles, sites and contact candidates are, in a drawing of 160 x 260; the left half. */
const PLACES: Record<string, [number, number]> = {
  head_top: [80, 8], head: [80, 27], neck: [80, 47], chest: [80, 70], spine: [80, 94], pelvis: [80, 117],
  collar: [63, 55], shoulder: [46, 61], elbow: [34, 94], wrist: [21, 126], hand: [14, 144], hand_tip: [7, 162],
  hip: [62, 130], thigh: [60, 155], knee: [59, 180], ankle: [57, 220], heel: [70, 243], ball: [50, 247],
  toe: [34, 238], toe_tip: [20, 252],
};
const WIDTH = 160;
const HEIGHT = 260;

export function placeOf(name: string): [number, number] | null {
  const [, side, part] = /^(left|right)_(.+)$/.exec(name) ?? [null, "", name];
  const found = PLACES[part as string];
  if (!found) return null;
  return side === "right" ? [WIDTH - found[0], found[1]] : found;
}

export function BodyDiagram({ spots, onToggle, label, testid, scale = 1 }: {
  spots: Spot[]; onToggle(name: string): void; label: string;
  /** Before each spot's name. */
  testid: string; scale?: number;
}) {
  return (
    <div class="ed-body" role="group" aria-label={label} style={{ width: WIDTH * scale, height: HEIGHT * scale, "--spot": `${scale < 1 ? 12 : 15}px` }}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <circle cx="80" cy="24" r="15" />
        <path d="M80 39V120M49 60H111M49 60L34 94L14 144M111 60L126 94L146 144M64 128H96M64 128L59 180L57 222L24 249M96 128L101 180L103 222L136 249M57 222L70 245M103 222L90 245" />
        <text x="8" y="14">L</text>
        <text x="146" y="14">R</text>
      </svg>
      {spots.map((spot) => {
        const place = placeOf(spot.name);
        if (!place) return null;
        const text = spot.label ?? spot.name.replaceAll("_", " ");
        return (
          <button
            type="button" key={spot.name} aria-pressed={spot.on} aria-label={text} title={text}
            disabled={spot.disabled} class={spot.faint ? "ed-faint" : ""}
            data-testid={`${testid}-${spot.name}`} onClick={() => onToggle(spot.name)}
            style={{ left: place[0] * scale, top: place[1] * scale }}
          />
        );
      })}
    </div>
  );
}
