import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundle } from '../../tools/build/bundle.ts';
import { removeDescriptions } from '../../tools/build/descriptions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('only the functions of the documentation contain the descriptions of fields', async () => {
  const outdir = temporaryFolder('descriptions');
  await bundle(['base/get-user', 'base/get-openapi'], outdir);
  const read = (name: string) => readFileSync(join(outdir, 'base', name, 'index.cjs'), 'utf8');
  const description = 'The user, as far as the caller may see it.';

  expect(read('get-openapi')).toContain(description);
  expect(read('get-user')).not.toContain(description);
});

it('the removal keeps the places of the code', () => {
  const source = "const one = described(\n  'It\\'s one.',\n  z.int(),\n);";
  expect(removeDescriptions('one.ts', source)).toBe(source.replace(/'.*,(?=\n)/, (text) => ' '.repeat(text.length)));
});

it('the removal refuses a description that is no literal text', () => {
  expect(() => removeDescriptions('one.ts', 'described(text, z.int())')).toThrow('one.ts: each description must be');
});
