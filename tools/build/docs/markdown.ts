/** Where a file is, as a link of the page that a part is made for. */
export type LinkTo = (file: string) => string;

/** One generated part of the documentation: its lines. */
export type Section = (linkTo: LinkTo) => readonly string[];

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** Texts as they stand in code, one after the other. */
export function code(...texts: readonly string[]): string {
  return texts.map((text) => `\`${text}\``).join(', ');
}
