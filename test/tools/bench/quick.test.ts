import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { assembledFolder } from '../../support/assembled-folder.ts';

it('every bench runs to its end when it is quick', { timeout: 180_000 }, async () => {
  const args = ['--quick', ...(assembledFolder === undefined ? [] : [`--assembled=${assembledFolder}`])];
  const bench = spawn(process.execPath, ['tools/bench/main.ts', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, errors, [code]] = await Promise.all([text(bench.stdout), text(bench.stderr), once(bench, 'close')]);

  expect(code, `${out}\n${errors}`).toBe(0);
  const names = out.split('\n').map((line) => line.split(' ')[0] ?? '');
  expect([...new Set(names)]).toEqual(
    expect.arrayContaining(['cost', 'dashboard', 'engine', 'load', 'scale', 'startup', 'webhooks']),
  );
});
