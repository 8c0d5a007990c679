import { isDeepStrictEqual } from 'node:util';
import { AuditEntry } from '../organisation/audit.ts';
import type { Item, Write } from '../table/table-client.ts';
import type { Person } from './person.ts';

/** Rows of the audit trail that name a person, and what an erasure leaves of them. */

const gone = 'erased';

/** Values that merchants and partners report, and ids: they are dropped from `before` and `after`. */
const personalFields: ReadonlySet<string> = new Set(['attributes', 'location', 'statusTierId', 'customer', 'account']);

/** Whether a row of the audit trail names the person: by the id of the user, or by an id at an organisation. */
export function isAuditOf(item: Item, person: Person): boolean {
  const { what, change } = AuditEntry.parse(item);
  const ids = person.userIds.join('|');
  if (new RegExp(`\\b(member|user) (${ids})\\b`).test(what)) return true;
  if (new RegExp(`"(userId|memberId)":(${ids})[,}]`).test(JSON.stringify(change ?? null))) return true;
  return [...person.externalIds].some((name) => namingsOf(name).some((naming) => isNamedIn(what, naming)));
}

/** How commands name an id of the person. */
function namingsOf(externalId: string): string[] {
  const organisationId = externalId.slice(0, externalId.indexOf('#'));
  const id = externalId.slice(organisationId.length + 1);
  return ['customer', 'account'].map((kind) => `${kind} ${id} of organisation ${organisationId}`);
}

/** Whether a text contains a naming that no further digit follows: organisation 12 is not organisation 1. */
const isNamedIn = (text: string, naming: string) =>
  text.split(naming).some((after, position) => position > 0 && !/^\d/.test(after));

/**
 * Erases the person from a row. The operator, the time and the command stay, and the change stays without data that
 * identifies the person.
 */
export function eraseAudit(item: Item, person: Person): Write | undefined {
  const { what, change } = AuditEntry.parse(item);
  const { texts } = person;
  const ids = [...person.externalIds, ...person.customers].map((name) => name.slice(name.indexOf('#') + 1));
  const namings = ids.flatMap((id) =>
    ['customer', 'account'].map((kind) => [`${kind} ${id} of`, `${kind} ${gone} of`]),
  );
  const left = [...texts.map((text) => [text, gone]), ...namings].reduce(
    (text, [found = '', by = gone]) => text.replaceAll(found, by),
    what,
  );
  const isPersonal = (value: unknown) => typeof value === 'string' && (texts.includes(value) || ids.includes(value));
  const without = (values: Readonly<Record<string, unknown>> | null) =>
    values &&
    Object.fromEntries(
      Object.entries(values).filter(([name, value]) => !personalFields.has(name) && !isPersonal(value)),
    );
  const changeLeft = change && { before: without(change.before), after: without(change.after) };
  if (left === what && isDeepStrictEqual(changeLeft, change)) return undefined;
  const { pk, sk } = item;
  return {
    kind: 'update',
    key: { pk, sk },
    changes: { set: { what: left, ...(changeLeft && { change: changeLeft }) } },
  };
}
