/**
 * Whether a name looks like a misspelling of a known one: in another convention (`transactionDiscount`), or with one or
 * two letters wrong, missing, too many or exchanged. Short names allow fewer such errors, because there a few letters
 * make another word.
 */
export function isMisspelling(name: string, known: string): boolean {
  const [written, meant] = [lettersOf(name), lettersOf(known)];
  return isWithin(allowedErrors(meant.length), written, meant);
}

/** The letters and digits of a name: its spellings in two conventions differ only in the rest. */
const lettersOf = (name: string) => name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();

const allowedErrors = (length: number) => (length < 4 ? 0 : length < 12 ? 1 : 2);

/** Whether at most `errors` insertions, deletions, replacements and exchanges of neighbours turn one text into another. */
function isWithin(errors: number, one: string, other: string): boolean {
  if (one === other) return true;
  if (errors === 0 || Math.abs(one.length - other.length) > errors) return false;
  let same = 0;
  while (one[same] === other[same]) same += 1;
  const [a, b] = [one.slice(same), other.slice(same)];
  const isExchange = a[0] === b[1] && a[1] === b[0];
  return (
    isWithin(errors - 1, a.slice(1), b) ||
    isWithin(errors - 1, a, b.slice(1)) ||
    isWithin(errors - 1, a.slice(1), b.slice(1)) ||
    (isExchange && isWithin(errors - 1, a.slice(2), b.slice(2)))
  );
}
