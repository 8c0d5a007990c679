import { join } from 'node:path';
import { assemble } from '../../tools/build/assembly.ts';
import { assembledFolder } from './assembled-folder.ts';

/** Returns the cloud assembly of `npm test`, or builds one in the folder. */
export const findAssembly = async (folder: string): Promise<string> =>
  assembledFolder === undefined ? assemble(folder) : join(assembledFolder, 'cdk.out');
