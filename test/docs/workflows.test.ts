import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));
const files = globSync('.github/**/*.yml').sort();
const workflows = files.filter((file) => file.includes('/workflows/'));

/** A workflow can deploy. So it may run only code that this repository determines. */
describe.each(files)('%s', (file) => {
  const text = readFileSync(file, 'utf8');

  it('pins every action by its commit, with the version beside it', () => {
    const used = [...text.matchAll(/uses: (.+)/g)].map(([, action = '']) => action);
    const loose = used.filter((action) => !/^(\.\/.+|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/.test(action));
    expect(loose).toEqual([]);
  });

  it('runs only scripts that exist', () => {
    const run = [...text.matchAll(/npm run (?:--silent )?([\w-]+)/g)].map(([, script = '']) => script);
    expect(run.filter((script) => !(script in scripts))).toEqual([]);
  });

  it('puts no text of a pull request into a command', () => {
    const commands = [...text.matchAll(/run: (?:\|\n(?: {10}.+\n)+|.+)/g)].map(([command]) => command);
    expect(commands.filter((command) => command.includes('${{'))).toEqual([]);
  });
});

describe.each(workflows)('the GitHub token of %s', (file) => {
  const text = readFileSync(file, 'utf8');

  it('may only read, unless a job declares more permissions', () => {
    expect(text).toContain('\npermissions:\n  contents: read\n');
  });

  it('is not stored in the checkout', () => {
    const count = (part: string) => text.split(part).length - 1;
    expect(count('persist-credentials: false')).toBe(count('uses: actions/checkout@'));
  });
});
