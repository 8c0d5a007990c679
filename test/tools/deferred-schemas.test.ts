import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import * as native from 'zod/mini';
import { contracts } from '../../functions/contracts.ts';
import { openApiContract } from '../../functions/every-host/get-openapi/contract.ts';
import { openApiOf, publishedEdition } from '../../shared/http/openapi/document.ts';
import { bundle } from '../../tools/build/bundle.ts';
import * as deferred from '../../tools/build/deferred-schemas.ts';
import { call } from '../support/call.ts';
import { setEnvironment } from '../support/environment.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const schemaOf = (z: typeof deferred) =>
  z.object({
    name: z.optional(z.string().check(z.trim(), z.minLength(1))),
    kind: z.enum(['a', 'b']),
    size: z.nullable(z.int().check(z.gte(1))),
  });

describe('a deferred schema', () => {
  it.each([
    { kind: 'a', size: 1, name: ' x ', other: true },
    { kind: 'b', size: null },
    { kind: 'c', size: 0, name: '' },
    null,
  ])('parses %j like a schema of zod', (value) => {
    const [own, expected] = [deferred, native].map((z) => schemaOf(z).safeParse(value));
    expect(own?.data).toEqual(expected?.data);
    expect(own?.error?.issues).toEqual(expected?.error?.issues);
  });

  it('has the properties of a schema of zod', () => {
    const schema = schemaOf(deferred);
    expect(schema).toBeInstanceOf(native.ZodMiniObject);
    expect(Object.keys(schema.shape)).toEqual(['name', 'kind', 'size']);
    expect(schema.shape.kind.options).toEqual(['a', 'b']);
  });

  it('is built when it is first used, and only once', () => {
    const build = vi.fn(() => native.string());
    const schema = deferred.object({
      get name() {
        return build();
      },
    });
    const checked = schema.check(deferred.refine(() => true));
    expect(build).not.toHaveBeenCalled();

    expect([checked, checked, schema].map((each) => each.parse({ name: 'x' }))).toEqual(Array(3).fill({ name: 'x' }));
    expect(build).toHaveBeenCalledOnce();
  });
});

it('the built function of the documentation returns the document that the sources make', async () => {
  const outdir = temporaryFolder('document');
  await bundle(['base/get-openapi'], outdir);
  setEnvironment({ name: 'none', endpoint: 'http://127.0.0.1:1' });
  const require = createRequire(import.meta.url);
  const { handler } = require(resolve(join(outdir, 'base/get-openapi/index.cjs'))) as { readonly handler: unknown };

  const { body } = await call(handler, openApiContract('base'), {});
  const { servers: _, ...document } = JSON.parse(
    JSON.stringify(openApiOf('base', contracts, publishedEdition('base'))),
  );
  expect(body).toMatchObject(document);
});
