import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Loads a copy of `fauxqs` that uses `date` in place of `Date`. The package compares `Date.now()` with the times of
 * delayed and received messages, and it has no option for a clock. The URLs of the copy's modules have a query, so Node
 * loads them a second time. Each module of the copy gets a first line that defines `Date`. The rest of the process
 * keeps the machine's time.
 */
export async function loadFauxqsCopy(date: DateConstructor): Promise<typeof import('fauxqs')> {
  const mark = `clock=${randomUUID()}`;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isPart = specifier.startsWith('.') && context.parentURL?.endsWith(mark);
      return isPart ? { ...resolved, url: `${resolved.url}?${mark}` } : resolved;
    },
    load(url, context, next) {
      if (!url.endsWith(mark)) return next(url, context);
      const source = `const Date = globalThis['${mark}'];\n${readFileSync(fileURLToPath(url), 'utf8')}`;
      return { format: 'module', shortCircuit: true, source };
    },
  });
  try {
    Reflect.set(globalThis, mark, date);
    return await import(`${import.meta.resolve('fauxqs')}?${mark}`);
  } finally {
    Reflect.deleteProperty(globalThis, mark);
    hooks.deregister();
  }
}
