import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { generateSchemaFiles } from '../../clients/typescript/generate.ts';

it('the files of the typed client are up to date with the contracts (`npm run client` writes them)', async () => {
  for (const { file, text } of await generateSchemaFiles())
    expect(await readFile(file, 'utf8'), file.pathname).toBe(text);
});
