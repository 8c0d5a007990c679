import { join } from 'node:path';
import { apiFolders, type Bundles, buildBundles, bundlesIn } from '../../../tools/bench/bundles.ts';
import { assembledFolder } from '../../support/assembled-folder.ts';

/** Returns the functions behind APIs that `npm test` built, or builds them in the folder. */
export async function findBundles(folder: string): Promise<Bundles> {
  const folders = apiFolders();
  if (assembledFolder === undefined) return buildBundles(folders, folder);
  return bundlesIn(join(assembledFolder, 'dist'), folders);
}
