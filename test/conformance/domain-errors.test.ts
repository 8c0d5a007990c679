import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';

/** The names of the error classes that use cases throw. */
async function errorClassNames(): Promise<Set<string>> {
  const root = new URL('../../', import.meta.url);
  const files = globSync('shared/{operations/**,domain,programs,store/order,webhooks}/*.ts', { cwd: root });
  const modules: Record<string, unknown>[] = await Promise.all(files.map((file) => import(new URL(file, root).href)));
  const exported = modules.flatMap((module) => Object.entries(module));
  return new Set(exported.filter(([, value]) => isErrorClass(value)).map(([name]) => name));
}

const isErrorClass = (value: unknown) => typeof value === 'function' && value.prototype instanceof Error;

const names = await errorClassNames();

describe.each(contracts.filter(({ errors }) => errors))('the contract $host/$name', ({ errors = {}, refusals }) => {
  it.each(Object.entries(errors))('maps the error class %s to %s, and both exist', (name, refusal) => {
    expect(names).toContain(name);
    expect(Object.keys(refusals)).toContain(refusal);
  });
});
