// One word for changes by keys in a row: with the same word they are one step of undo.

const PAUSE_MS = 1500;
let last = { about: "", at: -Infinity, word: "" };

/** The same again while it is about the same and no longer pause was made; unlike any of an earlier visit. */
export function mergeWord(about: string): string {
  const at = Date.now();
  const goesOn = about === last.about && at - last.at <= PAUSE_MS;
  last = { about, at, word: goesOn ? last.word : `${about} ${at}` };
  return last.word;
}
