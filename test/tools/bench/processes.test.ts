import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { measureTree, totalOf } from '../../../tools/bench/load/processes.ts';

it.runIf(process.platform === 'linux')(
  'the memory of a process includes the processes that it started, by kind',
  async () => {
    // The command `true` after Node makes the shell start Node as another process. Otherwise Node replaces the shell.
    const shell = spawn('sh', ['-c', `"${process.execPath}" --eval 'console.log(1); process.stdin.resume()'; true`]);
    try {
      await once(shell.stdout, 'data');
      const memory = await measureTree(shell.pid ?? 0);

      expect([...memory.keys()]).toEqual(['shells', 'build and seed']);
      expect(memory.get('build and seed')).toBeGreaterThan(2);
      expect(totalOf(memory)).toBeGreaterThan(memory.get('build and seed') ?? 0);
    } finally {
      shell.stdin.end();
    }
  },
);
