import { outboxAttribute, tableIndexes, tableKey, ttlAttribute } from '../../contracts/table.ts';
import { Person } from '../../store/person/person.ts';
import { type PersonalKind, personalKindOf } from '../../store/person/personal-items.ts';
import type { Item } from '../../store/table/table-client.ts';
import type { Deps } from '../operation.ts';
import { allOrganisations, type findOrganisationStores } from '../organisation/find-organisation.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { findMember, type findMemberStores, type MemberReference } from './manage-members.ts';

/** Reads the items of the partitions with personal data. Time and cost grow with the size of the table. */
export type ReadItems = () => AsyncIterable<Item>;

/** An item of a person. */
export interface PersonalItem {
  readonly kind: PersonalKind;
  readonly item: Item;
}

/** Everything that the platform keeps about a person, in words that the person understands. */
export interface MemberExport {
  readonly member: { readonly id: number; readonly uuid: string };
  readonly exportedAt: string;
  readonly sections: readonly {
    readonly title: string;
    readonly holds: string;
    readonly why: string;
    readonly kept: string;
    readonly entries: readonly Readonly<Record<string, unknown>>[];
  }[];
  /** Items that an export leaves out, and why. */
  readonly leftOut: readonly { readonly holds: string; readonly because: string; readonly items: number }[];
}

/**
 * Exports what the platform keeps about a member, for the person. Changes nothing; the audit trail records who exported
 * whom.
 *
 * @throws NotFoundError, MemberErasedError
 */
export async function exportMember(
  { member: reference, readItems }: { readonly member: MemberReference; readonly readItems: ReadItems },
  deps: AuditedDeps<typeof findMemberStores>,
): Promise<MemberExport> {
  const { user } = await findMember(reference, deps);
  const person = new Person({ userId: user.id, userUuid: user.uuid });
  const byKind = Map.groupBy(await readPerson(person, readItems), ({ kind }) => kind);
  const view = await readableView(deps);
  const sections = [...byKind].flatMap(([{ holds, why, kept, shown }, items]) => {
    if (typeof shown !== 'string') return [];
    return [{ title: shown, holds, why, kept, entries: items.map(({ item }) => view(item)) }];
  });
  const leftOut = [...byKind].flatMap(([{ holds, shown }, items]) =>
    typeof shown === 'string' ? [] : [{ holds, because: shown.not, items: items.length }],
  );
  await writeAudited(
    {
      what: `exported the data of member ${user.id}`,
      writes: [],
      conflict: () => new Error('the audit trail has this row already'),
    },
    deps,
  );
  const { id, uuid } = user;
  return { member: { id, uuid }, exportedAt: deps.now().toISOString(), sections, leftOut };
}

/**
 * Reads all items of a person, in two readings. Some items do not contain the user's id: the first reading collects the
 * texts and ids by which the second one recognises them.
 */
export async function readPerson(person: Person, readItems: ReadItems): Promise<PersonalItem[]> {
  for await (const item of readItems()) person.learn(item);
  const found: PersonalItem[] = [];
  for await (const item of readItems()) {
    const kind = personalKindOf(item, person);
    if (kind) found.push({ kind, item });
  }
  return found;
}

/** Attributes without information about the person: keys, secrets and their digests, counters of changes. */
const technical: ReadonlySet<string> = new Set([
  ...Object.values(tableKey),
  ...Object.values(tableIndexes).flatMap(({ partition, sort }) => [partition, sort]),
  ...[ttlAttribute, outboxAttribute],
  ...['digest', 'detailsDigest', 'pinSalt', 'pinHash', 'authenticationId', 'answer', 'codeChallenge'],
  ...['revision', 'linkRevision', 'refundTurnUntil'],
]);

/** The fields with the id of an organisation. */
const organisationFields: ReadonlySet<string> = new Set([
  ...['merchantId', 'partnerId', 'programId', 'organisationId', 'callerId'],
]);

/**
 * Returns the function that makes an item readable: without technical attributes, and with the names of organisations.
 */
async function readableView(
  deps: Deps<typeof findOrganisationStores>,
): Promise<(item: Item) => Record<string, unknown>> {
  const names = new Map((await allOrganisations(deps)).map(({ id, name }) => [id, name]));
  const readable = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(readable);
    return typeof value === 'object' && value !== null ? fieldsOf(value) : value;
  };
  const fieldsOf = (value: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
        if (technical.has(name)) return [];
        if (name === 'contextJson') return [['context', JSON.parse(String(field))]];
        if (!organisationFields.has(name) || typeof field !== 'number') return [[name, readable(field)]];
        return [[name.slice(0, -2), `${names.get(field) ?? 'organisation'} (${field})`]];
      }),
    );
  return fieldsOf;
}
