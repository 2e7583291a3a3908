// A line of values as the data of a path: the studio's plots and the pages' charts.

const MOST_POINTS = 1200;

/** With gaps where there is nothing; long ones as their least and most in each stretch. */
export function pathOf(values: ArrayLike<number | null>, y: (value: number) => number, x: (index: number) => number | string = (i) => i, digits = 2): string {
  const parts: string[] = [];
  let pen = false;
  const known = (at: number): boolean => Number.isFinite(values[at]);
  const put = (at: number): void => {
    if (known(at)) parts.push(`${pen ? "L" : "M"}${x(at)} ${y(values[at]!).toFixed(digits)}`);
    pen = known(at);
  };
  const step = Math.ceil(values.length / MOST_POINTS);
  for (let at = 0; at < values.length; at += step) {
    let low = at;
    let high = at;
    for (let i = at; i < Math.min(values.length, at + step); i += 1) {
      if (!known(i)) pen = false;
      else {
        if (!known(low) || values[i]! < values[low]!) low = i;
        if (!known(high) || values[i]! > values[high]!) high = i;
      }
    }
    put(Math.min(low, high));
    if (low !== high) put(Math.max(low, high));
  }
  return parts.join("");
}
