import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { DataFolder, type Demo } from '../../../tools/local/start/state.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The process is killed before one of its changes of files. */
class Killed extends Error {
  override readonly name = 'Killed';
}

const kill = vi.hoisted(() => ({ changesLeft: Number.POSITIVE_INFINITY }));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const killable = (name: keyof typeof real) => [
    name,
    (...args: unknown[]) => {
      kill.changesLeft -= 1;
      if (kill.changesLeft < 0) throw new Killed();
      return Reflect.apply(real[name] as () => unknown, real, args);
    },
  ];
  const changes = ['appendFileSync', 'cpSync', 'mkdirSync', 'renameSync', 'rmSync', 'writeFileSync'] as const;
  return { ...real, ...Object.fromEntries(changes.map(killable)) };
});

const demo = { members: [] } as Demo;

/** Starts a platform that keeps its data: the seed adds two organisations, one after the other. */
function start(directory: string, isSeeded: boolean): void {
  const data = new DataFolder(directory);
  data.prepare({ isSeeded });
  const table = join(data.directory, 'table');
  if (!isSeeded) appendFileSync(table, 'own ');
  else if (!data.demo) {
    appendFileSync(table, 'merchant ');
    appendFileSync(table, 'partner ');
    data.keep(demo);
  }
}

/** Starts a platform that is killed after some changes of files. Returns whether it was killed. */
function isKilled(directory: string, changes: number): boolean {
  kill.changesLeft = changes;
  try {
    start(directory, true);
    return false;
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return true;
  } finally {
    kill.changesLeft = Number.POSITIVE_INFINITY;
  }
}

function newDirectory(): string {
  const directory = temporaryFolder('data');
  mkdirSync(directory, { recursive: true });
  return directory;
}

const tableOf = (directory: string) => readFileSync(join(directory, 'data', 'table'), 'utf8');

describe('the data kept between starts', () => {
  it.each([
    ['new data', false],
    ['data of an earlier start without seed', true],
  ])('are seeded once, even when a start is killed at any point: %s', (_, hasData) => {
    const before = hasData ? 'own ' : '';
    let kills = 0;
    for (let changes = 0; kills === changes; changes += 1) {
      const directory = newDirectory();
      if (hasData) start(directory, false);
      if (isKilled(directory, changes)) kills += 1;
      // The second start is killed at the same point. The third start is not killed.
      isKilled(directory, changes);
      start(directory, true);

      expect(tableOf(directory), `killed before change ${changes + 1}`).toBe(`${before}merchant partner `);
      expect(new DataFolder(directory).demo).toEqual(demo);
    }
    expect(kills).toBeGreaterThan(5);
  });

  it('have no backup copy after a complete seed', () => {
    const directory = newDirectory();
    start(directory, false);
    start(directory, true);
    start(directory, true);

    expect(existsSync(join(directory, 'data.before-seed'))).toBe(false);
    expect(tableOf(directory)).toBe('own merchant partner ');
  });
});
