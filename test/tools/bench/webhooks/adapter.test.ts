import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { Fleet, startReceivers } from '../../../../tools/bench/webhooks/fleet.ts';
import { runRound } from '../../../../tools/bench/webhooks/round.ts';
import { loadSender } from '../../../../tools/bench/webhooks/sender.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const receivers = startReceivers();
afterAll(() => receivers.stop());

/** Writes an adapter whose imports work as if the file were in the root of the project. */
async function adapterFile(source: string): Promise<string> {
  const file = join(temporaryFolder('adapter'), 'peer.ts');
  await writeFile(file, source.replaceAll("'./tools/", `'${pathToFileURL(resolve('tools'))}/`));
  return file;
}

describe('an adapter of the webhook bench', () => {
  it('delivers every event when copied from the documentation', async () => {
    const page = await readFile('docs/architecture/webhook-bench.md', 'utf8');
    const file = await adapterFile(/```ts\n(.*?)```/s.exec(page)?.[1] ?? '');
    const { name, sender } = await loadSender(file);
    await sender.start({ directory: temporaryFolder('sender') });
    const fleet = await Fleet.open(receivers, sender, [
      { behaviour: 'fast', topic: 'one' },
      { behaviour: 'fast', topic: 'both' },
      { behaviour: 'fast', topic: 'both' },
    ]);
    const topicOf = (nth: number) => (nth === 0 ? 'one' : 'both');
    const { deliveries } = await runRound({ sender, fleet, count: 2, perSecond: 100, topicOf, waitMs: 10_000 });
    expect(name).toBe('peer');
    expect(deliveries.map(({ endpoint, requests, answers }) => ({ endpoint, requests, answers }))).toEqual([
      { endpoint: 0, requests: 1, answers: 1 },
      { endpoint: 1, requests: 1, answers: 1 },
      { endpoint: 2, requests: 1, answers: 1 },
    ]);
    await sender.stop();
  });

  it('is refused when it exports no sender', async () => {
    const file = await adapterFile('export const other = 1;\n');
    await expect(loadSender(file)).rejects.toThrow('exports no sender');
  });
});
