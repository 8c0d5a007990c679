import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import type * as z from 'zod/mini';
import { permissions } from '../../../shared/contracts/contract.ts';
import { FaultyDocumentError, parseWith } from '../../../shared/domain/campaign/authoring/schema-faults.ts';
import { isTimeZone } from '../../../shared/domain/period.ts';
import { OperatorError } from './errors.ts';

/** Arguments and options that several commands share, and parsers. A value that a parser refuses is wrong usage. */

export const organisationArgument = ['<organisation>', 'id or exact name of the organisation'] as const;
export const partnershipArgument = ['<partnership>', 'UUID or exact name of the partnership'] as const;
export const campaignArgument = ['<campaign>', 'id of the campaign', wholeNumber] as const;
export const memberArgument = ['<member>', 'id or UUID; with --of the id that the organisation uses'] as const;
export const ofOption = ['--of <organisation>', 'id or exact name of the organisation that uses the id'] as const;
export const asOption = ['--as <organisation>', 'id or exact name of the organisation that acts'] as const;
export const revisionOption = [
  '--revision <number>',
  'fail unless this is the campaign’s revision',
  wholeNumber,
] as const;

type Permission = (typeof permissions)[number];

/** `users:read,transactions:read` */
export function permissionList(text: string): Permission[] {
  const names = [...new Set(text.split(/[\s,]+/).filter(Boolean))];
  const unknown = names.filter((name) => !isPermission(name));
  if (names.length === 0 || unknown.length > 0) {
    const fault = unknown.length > 0 ? `There is no permission ${unknown.join(', ')}.` : 'Name at least one.';
    throw new InvalidArgumentError(`${fault} Permissions are: ${permissions.join(', ')}.`);
  }
  return permissions.filter((name) => names.includes(name));
}

const isPermission = (name: string): name is Permission => permissions.some((known) => known === name);

/** A whole number from zero on. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('It has to be a whole number, from 0 on.');
  }
  return value;
}

/** A whole number from one on. */
export function positiveNumber(text: string): number {
  const value = wholeNumber(text);
  if (value === 0) throw new InvalidArgumentError('It has to be at least 1.');
  return value;
}

/** A month in UTC, `2026-11`. */
export function month(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('It has to be a month such as 2026-11.');
  return text;
}

/** A name of the IANA time zone database, in its official spelling. */
export function timeZone(text: string): string {
  if (!isTimeZone(text)) throw new InvalidArgumentError('It has to be a time zone such as America/New_York.');
  return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone;
}

/** Absolute web URLs, of an option that may be repeated. */
export function webAddresses(text: string, earlier: readonly string[] = []): string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new InvalidArgumentError('It has to be a URL that begins with https:// or http://.');
  }
  // As it was written: requests are compared with it character by character.
  return [...earlier, text];
}

/** Text that is not blank. */
export function nonEmptyText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

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

async function readText(path: string): Promise<string> {
  try {
    return await readFile(resolve(callersFolder(), path), 'utf8');
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${messageOf(error)}`);
  }
}

/** npm runs scripts in the project's folder, and passes the caller's folder in INIT_CWD. */
function callersFolder(): string {
  const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
  return script === 'admin' && folder ? folder : process.cwd();
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OperatorError(`${path} is not JSON: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
