import { existsSync, globSync } from 'node:fs';
import { consumers } from '../../functions/consumers.ts';
import { contracts } from '../../functions/contracts.ts';

/** A function's folder in functions/ and dist/: `base/get-user`, `consumers/relay-outbox`. */
export type FunctionFolder = string;

/** Returns the folders that must have a handler, by the lists of contracts and consumers. */
function readListedFolders(): FunctionFolder[] {
  return [...contracts.map(({ host, name }) => `${host}/${name}`), ...consumers.map(({ name }) => `consumers/${name}`)];
}

/** Returns the path of a folder's handler. */
export function handlerFileOf(folder: FunctionFolder): string {
  return `functions/${folder}/handler.ts`;
}

/**
 * Returns the folder of every function.
 * @throws Error when a listed folder has no handler (a Lambda without code), or a handler's folder is not listed (code
 *   without a Lambda)
 */
export function listFunctionFolders(): FunctionFolder[] {
  const listed = readListedFolders();
  const withoutHandler = listed.filter((folder) => !existsSync(handlerFileOf(folder)));
  if (withoutHandler.length > 0) throw new Error(`listed folders without a handler.ts: ${withoutHandler.join(', ')}`);

  const known = new Set(listed.map(handlerFileOf));
  const unlisted = globSync('functions/*/*/handler.ts').filter((file) => !known.has(file));
  if (unlisted.length > 0)
    throw new Error(`handlers that neither contracts.ts nor consumers.ts lists: ${unlisted.join(', ')}`);

  return listed;
}
