import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type * as z from 'zod/mini';
import { FaultyFileError, parseWith } from '../campaigns/faults.ts';
import { OperatorError } from './errors.ts';

/**
 * Reads a JSON file that an operator wrote.
 *
 * @throws OperatorError that names the file, and every fault of it
 */
export async function readJsonFile<Schema extends z.ZodMiniType>(
  path: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const read = parseWith(schema, parse(path, await textOf(path)));
  if ('parsed' in read) return read.parsed;
  throw new FaultyFileError(path, read.faults);
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(fromWhereItWasCalled(path), 'utf8');
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** npm runs scripts in the project's folder, and says in which one it was called. */
function fromWhereItWasCalled(path: string): string {
  const { npm_lifecycle_event: script, INIT_CWD: calledIn } = process.env;
  return resolve(script === 'admin' && calledIn ? calledIn : process.cwd(), path);
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OperatorError(`${path} is not JSON: ${(error as Error).message}`);
  }
}
