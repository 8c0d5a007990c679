import { existsSync, globSync } from 'node:fs';
import { consumers } from '../../functions/consumers.ts';
import { contracts } from '../../functions/contracts.ts';

/** A function's folder below functions/ and dist/: `base/get-user`, `consumers/relay-outbox`. */
export type FunctionFolder = string;

/** The folders that the lists of contracts and consumers say must hold a handler. */
function listedFolders(): FunctionFolder[] {
  return [...contracts.map(({ host, name }) => `${host}/${name}`), ...consumers.map(({ name }) => `consumers/${name}`)];
}

/** Where a folder's handler is. */
export function handlerFile(folder: FunctionFolder): string {
  return `functions/${folder}/handler.ts`;
}

/**
 * Every function to be built.
 * @throws Error naming the folders that are listed without a handler, or have a handler that no list names:
 * the first would deploy a Lambda without code, the second code without a Lambda.
 */
export function functionFolders(): FunctionFolder[] {
  const listed = listedFolders();
  const withoutHandler = listed.filter((folder) => !existsSync(handlerFile(folder)));
  if (withoutHandler.length > 0) throw new Error(`listed, but without a handler.ts: ${withoutHandler.join(', ')}`);

  const known = new Set(listed.map(handlerFile));
  const unlisted = globSync('functions/*/*/handler.ts').filter((file) => !known.has(file));
  if (unlisted.length > 0) throw new Error(`in neither contracts.ts nor consumers.ts: ${unlisted.join(', ')}`);

  return listed;
}
