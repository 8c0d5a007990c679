import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeStartError } from '../../../tools/local/start/start-error.ts';
import { StateFolder } from '../../../tools/local/start/state.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Returns the id of a process that has ended. */
async function endedPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid ?? 0;
}

/** A state folder with the lock of a platform that was killed. */
async function newLeftFolder(lock?: string): Promise<string> {
  const directory = temporaryFolder('state');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'pid'), lock ?? String(await endedPid()));
  return directory;
}

/** Tries to lock the folder in another process. That process holds the lock until it is killed. */
async function lockElsewhere(directory: string): Promise<{ hasLock: boolean; release: () => void }> {
  const program = `
    const { StateFolder } = await import(${JSON.stringify(new URL('../../../tools/local/start/state.ts', import.meta.url))});
    process.stdin.resume();
    try { new StateFolder(${JSON.stringify(directory)}).lock(); console.log('locked'); } catch { console.log('refused'); }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  const [answer] = await once(child.stdout, 'data');
  return { hasLock: String(answer).trim() === 'locked', release: () => void child.kill('SIGKILL') };
}

describe('the lock of a state folder', () => {
  it('refuses a second platform and names the running process', async () => {
    const directory = temporaryFolder('state');
    const { hasLock, release } = await lockElsewhere(directory);
    const owner = readFileSync(join(directory, 'pid'), 'utf8');

    expect(hasLock).toBe(true);
    expect(() => new StateFolder(directory).lock()).toThrow(
      new RegExp(`already \\(process ${owner}\\).*--state-dir DIR.*no platform, delete`),
    );
    release();
  });

  it.each([
    ['belongs to a process that was killed', undefined],
    ['is empty, because the disk was full', ''],
  ])('is replaced when it %s', async (_, content) => {
    const directory = await newLeftFolder(content);

    new StateFolder(directory).lock();

    expect(readFileSync(join(directory, 'pid'), 'utf8')).toBe(String(process.pid));
    expect(readdirSync(directory)).toEqual(['pid']);
  });

  it('is taken over by only one of several platforms that start at once', async () => {
    const directory = await newLeftFolder();

    const starts = await Promise.all(Array.from({ length: 4 }, () => lockElsewhere(directory)));

    expect(starts.filter(({ hasLock }) => hasLock)).toHaveLength(1);
    for (const { release } of starts) release();
  });

  it('is released only by the platform that owns it', async () => {
    const directory = await newLeftFolder('1');

    new StateFolder(directory).unlock();

    expect(existsSync(join(directory, 'pid'))).toBe(true);
  });
});

describe('describeStartError()', () => {
  it.each([
    ["ENOSPC: no space left on device, write '/state/pid'", 'is on a disk that is full (ENOSPC). Free some space'],
    ["EROFS: read-only file system, mkdir '/state'", 'cannot be written (EROFS). Make it writable'],
    ["node tools/build/assemble.ts failed:\nError: EACCES: permission denied, open '/state/dist'", '(EACCES)'],
    ["ENOENT: no such file or directory, mkdir '/state'", 'cannot be made (ENOENT). Make the folder above it writable'],
    ["ENOTDIR: not a directory, mkdir '/state/x'", 'is not a folder (ENOTDIR). Remove what is in its place'],
  ])('says what is wrong with the state folder, in one line: %s', (message, expected) => {
    const text = describeStartError(new Error(message), '/state');

    expect(text).toContain(expected);
    expect(text).toContain('--state-dir DIR');
    expect(text).not.toContain('\n');
  });

  it.each(['Port 4510 is in use', 'listen EACCES: permission denied 127.0.0.1:80'])(
    'returns the text of another error unchanged: %s',
    (message) => {
      expect(describeStartError(new Error(message), '/state')).toBe(message);
    },
  );
});
