import { describe, expect, it, vi } from 'vitest';
import * as native from 'zod/mini';
import * as deferred from '../../tools/build/deferred-schemas.ts';

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
