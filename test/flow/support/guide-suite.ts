import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeShowcase } from '../../../tools/admin/demo/world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { cannot, useFlow } from './flow.ts';
import { shapeOf, snippetsOf, Terminal } from './guide.ts';

const root = join(import.meta.dirname, '../../..');

/** The packages that snippets and their types import. */
const packages = {
  '@rewards-platform/client': 'clients/typescript',
  '@types/node': 'node_modules/@types/node',
  standardwebhooks: 'node_modules/standardwebhooks',
};

interface GuideOptions {
  /** Whether the page knows the world of the demonstration. Otherwise its commands make all that they use. */
  readonly showsDemo?: boolean;
}

/**
 * Declares the tests of a page of docs: its snippets run in order in one shell, as a reader pastes them, in a folder with
 * the packages of the repository and the addresses of the platform.
 */
export function describeGuide(page: string, { showsDemo = true }: GuideOptions = {}): void {
  const snippets = snippetsOf(readFileSync(join(root, page), 'utf8'));
  /** The guides assume a platform that was just started. */
  const flow = useFlow(makeShowcase);

  let directory: string;
  let terminal: Terminal;
  beforeAll(async () => {
    directory = temporaryFolder('guide');
    mkdirSync(join(directory, '.local'));
    const { hosts, aws, demo } = flow;
    const state = { hosts, aws, ...(showsDemo && { demo }) };
    writeFileSync(join(directory, '.local/platform.json'), JSON.stringify(state));
    // The scripts of the project, for a reader in its folder.
    const scripts = { admin: `node ${join(root, 'tools/admin/main.ts')}` };
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ scripts }));
    for (const [name, folder] of Object.entries(packages)) {
      mkdirSync(dirname(join(directory, 'node_modules', name)), { recursive: true });
      symlinkSync(join(root, folder), join(directory, 'node_modules', name));
    }
    const path = `${dirname(process.execPath)}:${process.env.PATH}`;
    terminal = new Terminal(directory, { PATH: path, PORT: String(await freePort()) });
  });
  afterAll(() => terminal?.close());

  describe.skipIf(cannot.receiveWebhooks)(page, () => {
    it.each(snippets.map((snippet, index) => ({ ...snippet, name: `${snippet.heading}, snippet ${index + 1}` })))(
      'contains the code "$name", which works as described',
      async ({ name: _, ...snippet }) => {
        const printed = await terminal.run(snippet);
        expect(terminal.complaints).toBe('');
        if (snippet.output === undefined) expect(printed).toBe('');
        else expect(printed.trim()).toMatch(shapeOf(snippet.output));
      },
    );

    if (!snippets.some(({ language }) => language === 'ts')) return;
    it('contains TypeScript without type errors', () => {
      expect(typeErrors(directory)).toBe('');
    });
  });
}

/** Returns the messages of the compiler about the saved TypeScript files, with the settings of the repository. */
function typeErrors(directory: string): string {
  const settings = {
    extends: join(root, 'tsconfig.json'),
    include: [],
    exclude: [],
    files: globSync('*.mts', { cwd: directory }),
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(settings));
  try {
    return execFileSync(join(root, 'node_modules/.bin/tsc'), ['--project', directory], { encoding: 'utf8' });
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout ?? error);
  }
}

/** Returns a free port for the receiver of a guide. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
