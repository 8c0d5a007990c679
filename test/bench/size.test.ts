import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundles, buildBundles, folderOf } from '../../bench/bundles.ts';
import { startupPromise } from '../../bench/promises.ts';
import { sizeOf } from '../../bench/startup/size.ts';
import { contracts } from '../../functions/contracts.ts';

let outdir: string;
let bundles: Bundles;
beforeAll(async () => {
  outdir = await mkdtemp(join(tmpdir(), 'bundles-'));
  bundles = await buildBundles(contracts.map(folderOf), outdir);
}, 60_000);
afterAll(() => rm(outdir, { recursive: true, force: true }));

describe('a function behind an API', () => {
  it.each(contracts.map(folderOf))('%s is as small as promised', async (folder) => {
    const { sizeKb } = await sizeOf(bundles.get(folder) ?? '');
    expect(sizeKb).toBeLessThanOrEqual(startupPromise.sizeKb);
  });
});
