import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { StaffRole } from '../../domain/staff/roles.ts';
import { type ListPage, type PageRange, readPage } from '../table/list-page.ts';
import { defineEntity, isNew, Repository, type Write } from '../table/table-client.ts';

/** Values of a thing by name. Null when the thing did not exist, or no longer exists. */
const Snapshot = z.nullable(z.record(z.string(), z.unknown()));

/**
 * One act of a person in an organisation. Entries never change and are never deleted. They name people by their ids, so
 * the removal of a person has nothing to erase in them.
 */
export const OrganisationAuditEntry = z.object({
  /** UUID version 7: entries sort by time. */
  id: z.string(),
  at: z.string(),
  organisationId: z.int(),
  staffId: z.string(),
  /** The roles of the person at that time. */
  roles: z.array(StaffRole),
  /** The kind of the act, such as `change roles`. */
  act: z.string(),
  outcome: z.enum(['done', 'refused']),
  /** The act in one sentence, without secrets and personal data. */
  what: z.string(),
  /** The changed values before and after; absent where the sentence says everything. */
  change: z.optional(z.object({ before: Snapshot, after: Snapshot })),
});
export type OrganisationAuditEntry = z.infer<typeof OrganisationAuditEntry>;

const monthPattern = /^\d{4}-\d{2}$/;
const prefix = 'AUDIT#';

/** Each month has its own partition, so every partition stops growing. */
const partition = (organisationId: number, month: string) =>
  `${partitions.organisationAudit}${organisationId}#${month}`;

const entries = defineEntity(
  OrganisationAuditEntry,
  ({ organisationId, at, id }: Pick<OrganisationAuditEntry, 'organisationId' | 'at' | 'id'>) => ({
    pk: partition(organisationId, at.slice(0, 'yyyy-mm'.length)),
    sk: prefix + id,
  }),
);

/** Says that a refusal is in the trail, until it may be written again. */
const refusalMarks = defineEntity(
  z.object({ until: z.string() }),
  ({ organisationId, at, staffId, act, what }: OrganisationAuditEntry) => ({
    pk: partition(organisationId, at.slice(0, 'yyyy-mm'.length)),
    sk: `REFUSED#${createHash('sha256')
      .update(JSON.stringify([staffId, act, what]))
      .digest('hex')}`,
  }),
);

/** What people did in their organisations. */
export class OrganisationAudit extends Repository {
  /**
   * The entries of an organisation in one month (`2026-11`, UTC), the newest first.
   *
   * @throws RangeError when the text is not a month
   */
  async of(organisationId: number, month: string, range: PageRange): Promise<ListPage<OrganisationAuditEntry>> {
    if (!monthPattern.test(month)) throw new RangeError(`${month} is not a month such as 2026-11`);
    const page = await readPage(this.table, [{ partition: partition(organisationId, month), prefix }], range);
    return { ...page, items: page.items.map(entries.parse) };
  }
}

/** The write of an entry, for the DynamoDB transaction that writes the change. */
export const organisationAuditWrite = (entry: OrganisationAuditEntry): Write => ({
  kind: 'put',
  item: entries.item(entries.key(entry), entry),
  when: isNew,
});

/** The writes of a refusal, on the condition that the same one of the person is not in the trail already. */
export const refusalWrites = (entry: OrganisationAuditEntry, until: Date): Write[] => [
  {
    kind: 'put',
    item: refusalMarks.item(
      refusalMarks.key(entry),
      { until: until.toISOString() },
      { [ttlAttribute]: toSeconds(until.getTime()) },
    ),
    when: [{ attribute: 'until', is: 'at-most', value: entry.at }],
  },
  organisationAuditWrite(entry),
];
