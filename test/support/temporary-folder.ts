import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];

// Registered at import, so this hook belongs to the test file and runs after that file's other hooks, even when tests
// fail. The `exit` event of the process is no alternative: Vitest workers end without it.
afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Creates a temporary folder that is deleted when the running test file ends. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}-`));
  made.push(folder);
  return folder;
}
