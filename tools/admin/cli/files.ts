import { readFile, writeFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type * as z from 'zod/mini';
import { FaultyDocumentError, parseWith } from '../../../shared/domain/campaign/authoring/schema-faults.ts';
import { OperatorError } from './text.ts';

/** The operator’s files. */

/**
 * Reads a JSON file that an operator wrote.
 *
 * @throws OperatorError when it cannot be read or is not JSON
 * @throws FaultyDocumentError with every fault
 */
export async function readJsonFile<Schema extends z.ZodMiniType>(
  path: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const read = parseWith(schema, parseJson(path, await readText(path)));
  if ('parsed' in read) return read.parsed;
  throw new FaultyDocumentError(path, read.faults);
}

/** Reads a text file of the operator. @throws OperatorError when it cannot be read */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(callersPath(path), 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Writes a text file for the operator. @throws OperatorError when it cannot be written */
export async function writeText(path: string, text: string): Promise<void> {
  try {
    // The file may contain personal data, so other users of the machine cannot read a new file.
    await writeFile(callersPath(path), text, { mode: 0o600 });
  } catch (error) {
    throw new OperatorError(`${path} cannot be written: ${messageOf(error)}`);
  }
}

/** A path as the operator means it: relative to the folder in which the operator called npm. */
export const callersPath = (path: string) => resolve(callersFolder(), path);

/** npm runs scripts in the project's folder, and passes the caller's folder in INIT_CWD. */
function callersFolder(): string {
  const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
  return script === 'admin' && folder ? folder : process.cwd();
}

/** The error about a file or folder that cannot be read. */
export function unreadable(path: string, error: unknown): OperatorError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const folder = isAbsolute(path) ? '' : ` in ${callersFolder()}`;
  if (code === 'ENOENT') return new OperatorError(`there is no ${path}${folder}: check the path`);
  if (code === 'EISDIR') return new OperatorError(`${path} is a folder: name a file in it`);
  return new OperatorError(`${path} cannot be read: ${messageOf(error)}`);
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [line = ''] = text.trim().split('\n', 1);
    const cause = /^[[{]/.test(line) ? messageOf(error) : `it begins with “${line.slice(0, 40)}”, and not with {`;
    throw new OperatorError(`${path} is not JSON: ${cause.replaceAll(/\s+/g, ' ')}`);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
