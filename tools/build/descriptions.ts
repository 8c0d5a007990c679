import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** `described(` and its first argument, a literal text. */
const description = /\b(described\()(\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`),)/g;

/** The replacement of shared/contracts/described.ts: esbuild inlines a function that returns its only argument. */
const identity = '/* @__NO_SIDE_EFFECTS__ */ export function described(schema) { return schema; }';

/** The replacement of shared/domain/campaign/document/kinds/form.ts: esbuild drops a call of an empty function. */
const noForms = 'export function inForms() {} export const isOrIsNot = void 0, moreOrLessThan = void 0;';

/**
 * Removes the forms of campaign parts from a bundle. Only the dashboard shows them, and it is not bundled here. So the
 * objects of kinds have no `form` in a function.
 */
export const withoutForms: Plugin = {
  name: 'without-forms',
  setup({ onLoad }) {
    onLoad({ filter: /\/campaign\/document\/kinds\/form\.ts$/ }, () => ({ contents: noForms, loader: 'ts' }));
  },
};

/**
 * Removes the descriptions of fields from a bundle. Only the documents show them, and every other function would load
 * them at its start. Blanks replace them, so each line and column stays the same in source maps.
 */
export const withoutDescriptions: Plugin = {
  name: 'without-descriptions',
  setup({ onLoad }) {
    onLoad({ filter: /\/contracts\/described\.ts$/ }, () => ({ contents: identity, loader: 'ts' }));
    onLoad({ filter: /\/(functions|shared)\/.+\.ts$/ }, async ({ path }) => ({
      contents: removeDescriptions(path, await readFile(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

/** @throws Error when a description is no literal text, because it would take the place of its schema */
export function removeDescriptions(path: string, source: string): string {
  const calls = source.match(/\bdescribed\(/g)?.length ?? 0;
  const found = source.match(description)?.length ?? 0;
  if (calls !== found) throw new Error(`${path}: each description must be a literal text`);
  return source.replaceAll(description, (_, call: string, text: string) => call + text.replaceAll(/./g, ' '));
}
