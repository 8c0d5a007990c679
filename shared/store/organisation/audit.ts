import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import { type ListPage, type PageRange, readPage } from '../table/list-page.ts';
import { defineEntity, isNew, Repository, type Write } from '../table/table-client.ts';

/** Values of a thing by name. Null when the thing did not exist, or no longer exists. */
const Snapshot = z.nullable(z.record(z.string(), z.unknown()));

/**
 * One command of an operator. Entries are never deleted. Only an erasure changes them: it removes the data that
 * identifies a person.
 */
export const AuditEntry = z.object({
  /** UUID version 7: entries sort by time. */
  id: z.string(),
  at: z.string(),
  /** The operator's identity. AWS proves it; on a local machine nothing proves it. */
  operator: z.string(),
  /** The claimed identity, if one was given. */
  actor: z.nullable(z.string()),
  /** The command, such as `key revoke`. */
  command: z.string(),
  /** The run of the command. An import writes many entries in one run. Absent in older entries. */
  run: z.optional(z.string()),
  /** The change in one sentence, without secrets. */
  what: z.string(),
  /** The changed values before and after the change, without secrets; absent where the sentence says everything. */
  change: z.optional(z.object({ before: Snapshot, after: Snapshot })),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

const monthPattern = /^\d{4}-\d{2}$/;

/** Each month has its own partition, so every partition stops growing. */
const partition = (month: string) => `${partitions.audit}${month}`;
const prefix = 'AUDIT#';
const entries = defineEntity(AuditEntry, ({ at, id }: Pick<AuditEntry, 'at' | 'id'>) => ({
  pk: partition(at.slice(0, 'yyyy-mm'.length)),
  sk: prefix + id,
}));

/** The changes of operators. */
export class AuditTrail extends Repository {
  /**
   * The entries of one month (`2026-11`, UTC), the newest first.
   *
   * @throws RangeError when the text is not a month
   */
  async of(month: string, range: PageRange): Promise<ListPage<AuditEntry>> {
    if (!monthPattern.test(month)) throw new RangeError(`${month} is not a month such as 2026-11`);
    const page = await readPage(this.table, [{ partition: partition(month), prefix }], range);
    return { ...page, items: page.items.map(entries.parse) };
  }
}

/** The write of an entry, for the DynamoDB transaction that writes the change. */
export function auditWrite(entry: AuditEntry): Write {
  return { kind: 'put', item: entries.item(entries.key(entry), entry), when: isNew };
}
