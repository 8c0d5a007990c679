import { expect } from 'vitest';

/** A text under its title. */
export type TitledText = readonly [title: string, text: string | readonly string[]];

/** Compares texts with a file that has each under its title. With --update, Vitest writes the file. */
export async function expectTexts(file: string, texts: readonly TitledText[]): Promise<void> {
  const shown = texts.map(([title, text]) => `# ${title}\n${[text].flat().join('\n')}\n`);
  await expect(shown.join('\n')).toMatchFileSnapshot(file);
}
