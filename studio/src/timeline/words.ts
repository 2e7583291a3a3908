// Frames and names in words, for tooltips and labels.

export function partName(part: string): string {
  return part.replaceAll("_", " ");
}

export function seconds(frames: number, rate: number): string {
  return (frames / rate).toFixed(2);
}

/** "frames 12 to 48, 0.40 to 1.60 s" */
export function framesAndSeconds(first: number, last: number, rate: number): string {
  if (first === last) return `frame ${first}, ${seconds(first, rate)} s`;
  return `frames ${first} to ${last} (${last - first + 1}), ${seconds(first, rate)} to ${seconds(last, rate)} s`;
}
