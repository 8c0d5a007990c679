import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { openApiContract } from '../../functions/every-host/get-openapi/contract.ts';
import {
  actionKinds,
  conditionKinds,
  limitKinds,
  multiplierKinds,
  triggerKinds,
} from '../../shared/domain/campaign/document/kinds/registry.ts';
import { openApiOf, publishedEdition } from '../../shared/http/openapi/document.ts';
import { bundle } from '../../tools/build/bundle.ts';
import { removeDescriptions } from '../../tools/build/descriptions.ts';
import { call } from '../support/call.ts';
import { setEnvironment } from '../support/environment.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('only the functions of the documentation contain the descriptions of fields', async () => {
  const outdir = temporaryFolder('descriptions');
  await bundle(['base/get-user', 'base/get-openapi'], outdir);
  const read = (name: string) => readFileSync(join(outdir, 'base', name, 'index.cjs'), 'utf8');
  const description = 'The user, as far as the caller may see it.';

  expect(read('get-openapi')).toContain(description);
  expect(read('get-user')).not.toContain(description);
});

it('no function contains the forms of campaign parts', async () => {
  const outdir = temporaryFolder('forms');
  await bundle(['campaign/simulate-campaigns', 'base/get-openapi'], outdir);
  const texts = [...conditionKinds, ...actionKinds, ...multiplierKinds, ...limitKinds, ...triggerKinds].flatMap(
    ({ form: { help, fields } }) => [help, ...Object.values(fields).map(({ label }) => `label:"${label}"`)],
  );
  for (const path of ['campaign/simulate-campaigns', 'base/get-openapi']) {
    const code = readFileSync(join(outdir, path, 'index.cjs'), 'utf8');
    expect(texts.filter((text) => code.includes(text))).toEqual([]);
  }
});

it('the built function of the documentation returns the document that the sources make', async () => {
  const outdir = temporaryFolder('document');
  await bundle(['base/get-openapi'], outdir);
  setEnvironment({ name: 'none', endpoint: 'http://127.0.0.1:1' });
  const require = createRequire(import.meta.url);
  const { handler } = require(resolve(join(outdir, 'base/get-openapi/index.cjs'))) as { readonly handler: unknown };

  const { body } = await call(handler, openApiContract('base'), {});
  const document = JSON.parse(JSON.stringify(openApiOf('base', contracts, publishedEdition('base'))));
  expect({ ...body, servers: [] }).toEqual({ ...document, servers: [] });
});

it('the removal keeps the places of the code', () => {
  const source = "const one = described(\n  'It\\'s one.',\n  z.int(),\n);";
  expect(removeDescriptions('one.ts', source)).toBe(source.replace(/'.*,(?=\n)/, (text) => ' '.repeat(text.length)));
});

it('the removal refuses a description that is no literal text', () => {
  expect(() => removeDescriptions('one.ts', 'described(text, z.int())')).toThrow('one.ts: each description must be');
});
