import { InvalidArgumentError } from '@commander-js/extra-typings';
import { permissions, type Scope, scopes } from '../../../shared/contracts/contract.ts';
import { maximumCharacters, minimumPinDigits } from '../../../shared/contracts/limits.ts';
import { isPin } from '../../../shared/domain/connect/proof-counter.ts';
import { redirectUriFault } from '../../../shared/domain/connect/redirect-uri.ts';
import { Instant, isTimeZone } from '../../../shared/domain/period.ts';

/**
 * Arguments and options that several commands share, and parsers. A value that a parser refuses counts as wrong usage.
 */

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

/** The option of commands that move points. */
export const approveOption = [
  '--approve',
  'change nothing: approve that another operator runs exactly this command, which is too much for one person',
] as const;

/** Options without which a command does not run, as its action receives them. */
export type Needed<Name extends string, Value = string> = { readonly [One in Name]: Value };
/** Options that an operator may leave out. */
export type Given<Name extends string, Value = string> = { readonly [One in Name]?: Value | undefined };

type Permission = (typeof permissions)[number];

/** Parses permissions, such as `users:read,transactions:read`. */
export const permissionList = (text: string): Permission[] => listOf('permission', permissions, text);

/** Parses scopes, such as `transactions:read,templates:read`. */
export const scopeList = (text: string): Scope[] => listOf('scope', scopes, text);

/** Parses a list of names. Returns them in the order of the known names. */
function listOf<Name extends string>(kind: string, known: readonly Name[], text: string): Name[] {
  const names = new Set(text.split(/[\s,]+/).filter(Boolean));
  const unknown = [...names].filter((name) => !known.some((one) => one === name));
  if (names.size === 0 || unknown.length > 0) {
    const fault = unknown.length > 0 ? `There is no ${kind} ${unknown.join(', ')}.` : 'Name at least one.';
    const all = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s are: ${known.join(', ')}.`;
    throw new InvalidArgumentError(`${fault} ${all}`);
  }
  return known.filter((name) => names.has(name));
}

/** A whole number from zero on. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It has to be a whole number, from 0 on.');
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('It is too large.');
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

/** An instant such as `2026-11-20T09:00:00Z`. */
export function instant(text: string): Date {
  const { success } = Instant.safeParse(text);
  if (success) return new Date(text);
  throw new InvalidArgumentError('It has to be a time with its offset, such as 2026-11-20T09:00:00Z.');
}

/** A name of the IANA time zone database, in its official spelling. */
export function timeZone(text: string): string {
  if (!isTimeZone(text)) throw new InvalidArgumentError('It has to be a time zone such as America/New_York.');
  return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone;
}

/** Adds a redirect URI to the earlier ones, because the option may be repeated. */
export function redirectUris(text: string, earlier: readonly string[] = []): string[] {
  const fault = redirectUriFault(text);
  if (fault) throw new InvalidArgumentError(`It ${fault.message}.`);
  // The text is not normalized, because requests are compared with it character by character.
  return [...earlier, text];
}

/** A PIN of a hosted program. */
export function pin(text: string): string {
  if (!isPin(text)) throw new InvalidArgumentError(`It has to be ${minimumPinDigits} digits or more.`);
  return text;
}

/** Parses dollars with at most two decimals. Returns cents, at least 1. */
export function dollarAmount(text: string): number {
  const cents = /^\d{1,9}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : 0;
  if (cents === 0) throw new InvalidArgumentError('It has to be dollars such as 12.50, more than zero.');
  return cents;
}

/** Parses dollars with at most six decimals. Returns millionths of a dollar. */
export function dollarPrice(text: string): number {
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError('It has to be dollars such as 0.012.');
  return Math.round(Number(text) * 1_000_000);
}

/** Text that is not blank. */
export function nonEmptyText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

/** A text that is not blank, and no longer than the platform allows for texts in requests. */
export function shortText(text: string): string {
  if (text.length > maximumCharacters.text) {
    throw new InvalidArgumentError(`It must not be longer than ${maximumCharacters.text} characters.`);
  }
  return nonEmptyText(text);
}
