import { InvalidArgumentError } from '@commander-js/extra-typings';
import { permissions } from '../../../shared/contracts/contract.ts';
import { isTimeZone } from '../../../shared/domain/period.ts';

/** Parsers of arguments and options. What they refuse is wrong usage. */

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

/** A number of things of which there is at least one. */
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

/** A name of the IANA time zone database. */
export function timeZone(text: string): string {
  if (!isTimeZone(text)) throw new InvalidArgumentError('It has to be a time zone such as America/New_York.');
  // As it is spelt, whatever was typed.
  return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone;
}

/** An absolute URL of the web; every one that is given is kept. */
export function webAddresses(text: string, earlier: readonly string[] = []): string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new InvalidArgumentError('It has to be a URL that begins with https:// or http://.');
  }
  // As it was written: requests are compared with it sign by sign.
  return [...earlier, text];
}

/** Text that says something. */
export function someText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}
