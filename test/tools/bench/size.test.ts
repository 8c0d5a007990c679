import { beforeAll, describe, expect, it } from 'vitest';
import { startupPromise } from '../../../shared/contracts/promises.ts';
import { apiFolders, type Bundles } from '../../../tools/bench/bundles.ts';
import { sizeOf } from '../../../tools/bench/startup.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { findBundles } from './find-bundles.ts';

let bundles: Bundles;
beforeAll(async () => {
  bundles = await findBundles(temporaryFolder('bundles'));
}, 60_000);

describe('the bundle of a function behind an API', () => {
  it.each(apiFolders())('has at most its promised size: %s', async (folder) => {
    const { sizeKb } = await sizeOf(bundles.get(folder) ?? '');
    expect(sizeKb).toBeLessThanOrEqual(startupPromise.sizeKb);
  });
});
