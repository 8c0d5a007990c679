import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { generateSchemaFiles } from '../../clients/typescript/generate.ts';

it('the typed client matches the contracts (`npm run client` updates it)', async () => {
  for (const { file, text } of await generateSchemaFiles())
    expect(await readFile(file, 'utf8'), file.pathname).toBe(text);
});
