import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundle } from '../../../tools/build/bundle.ts';
import { decodeStack, readMap } from '../../../tools/releases/stack-trace.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('decodeStack() translates a position in a deployed function to the position in its source', async () => {
  const folder = temporaryFolder('maps');
  const name = 'user/get-user-status';
  await bundle([name], folder);
  const lines = readFileSync(join(folder, name, 'index.cjs'), 'utf8').split('\n');
  // Messages are not minified: this text occurs once in the bundle, and once in the sources.
  const message = 'every attempt conflicted with other transactions';
  const line = lines.findIndex((text) => text.includes(message));
  const column = lines[line]?.indexOf(message) ?? -1;
  const stack = `ContentionError: ${message}\n    at async Lt.transact (/var/task/index.cjs:${line + 1}:${column + 1})`;

  const decoded = decodeStack(stack, readMap(join(folder, 'maps'), name));
  const [, file = '', at = ''] = /\((.+):(\d+):\d+\)$/.exec(decoded) ?? [];
  expect(file).toMatch(/shared\/store\/table\/table-client\.ts$/);
  expect(readFileSync('shared/store/table/table-client.ts', 'utf8').split('\n')[Number(at) - 1]).toContain(message);
});

it('decodeStack() does not change lines that point at other code', () => {
  const stack = 'Error: no\n    at node:internal/timers:12:3';
  expect(decodeStack(stack, { findEntry: () => ({}) } as never)).toBe(stack);
});
