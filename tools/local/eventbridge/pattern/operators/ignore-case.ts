/**
 * Source of a regular expression that matches a text regardless of case.
 *
 * It goes character by character, because some letters change their length with their case ("ß" and "SS"), so folding
 * both sides first would call different texts equal.
 */
export function ignoringCase(text: string): string {
  return text
    .split('')
    .map((char) => `(?:${escapeRegExp(char.toLowerCase())}|${escapeRegExp(char.toUpperCase())})`)
    .join('');
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
