import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { recordings } from '../../../tools/releases/notes.ts';

/** The option --help changes no file. */

const kept = () => readdirSync(recordings).map((name) => [name, statSync(`${recordings}/${name}`).mtimeMs]);

it.each([
  ['record.ts', 'npm run record-release'],
  ['notes.ts', 'npm run release-notes'],
  ['stack-trace.ts', 'npm run stack-trace'],
])('%s --help says how it is used', (file, command) => {
  const before = kept();

  const { status, stdout, stderr } = spawnSync('node', [`tools/releases/${file}`, '--help'], { encoding: 'utf8' });

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain(command);
  expect(stdout).toContain('--help');
  expect(kept()).toEqual(before);
});

it('record.ts leaves the recordings unchanged when it does not know an option', () => {
  const before = kept();

  const { status } = spawnSync('node', ['tools/releases/record.ts', '--hlep'], { encoding: 'utf8' });

  expect(status).toBe(2);
  expect(kept()).toEqual(before);
});
