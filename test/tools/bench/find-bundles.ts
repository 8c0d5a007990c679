import { join } from 'node:path';
import { contracts } from '../../../functions/contracts.ts';
import { type Bundles, buildBundles, bundlesIn, folderOf } from '../../../tools/bench/bundles.ts';
import { assembledFolder } from '../../support/assembled-folder.ts';

/** Returns the functions of all endpoints that `npm test` built, or builds them in the folder. */
export async function findBundles(folder: string): Promise<Bundles> {
  const folders = contracts.map(folderOf);
  if (assembledFolder === undefined) return buildBundles(folders, folder);
  return bundlesIn(join(assembledFolder, 'dist'), folders);
}
