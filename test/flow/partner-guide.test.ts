import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeShowcase } from '../../tools/admin/demo/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cannot, useFlow } from './support/flow.ts';
import { shapeOf, snippetsOf, Terminal } from './support/guide.ts';

/** Runs the guide's snippets in order in one shell, as a reader pastes them. */

const snippets = snippetsOf(readFileSync(join(import.meta.dirname, '../../docs/partner-guide.md'), 'utf8'));
/** The guide assumes a platform that was just started. */
const flow = useFlow(makeShowcase);

let terminal: Terminal;
beforeAll(async () => {
  const directory = temporaryFolder('guide');
  mkdirSync(join(directory, '.local'));
  writeFileSync(join(directory, '.local/platform.json'), JSON.stringify({ hosts: flow.hosts, demo: flow.demo }));
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  terminal = new Terminal(directory, { PATH: path, PORT: String(await freePort()) });
});
afterAll(() => terminal?.close());

/** Returns a free port for the guide's receiver. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

describe.skipIf(cannot.receiveWebhooks)('docs/partner-guide.md', () => {
  it.each(snippets.map((snippet, index) => ({ ...snippet, name: `${snippet.heading}, snippet ${index + 1}` })))(
    'contains the code "$name", which works as described',
    async ({ name: _, ...snippet }) => {
      const printed = await terminal.run(snippet);
      expect(terminal.complaints).toBe('');
      if (snippet.output === undefined) expect(printed).toBe('');
      else expect(printed.trim()).toMatch(shapeOf(snippet.output));
    },
  );
});
