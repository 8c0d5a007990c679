import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { maximumPointsAdjustedAlone } from '../../contracts/limits.ts';
import { partitions } from '../../contracts/table.ts';
import { timeOfUuid } from '../../domain/ids.ts';
import {
  ManualAdjustment,
  movementsOfAdjustment,
  type WantedAdjustment,
} from '../../domain/ledger/manual-adjustment.ts';
import { defineEntity, isNew, Repository, type Write } from '../table/table-client.ts';
import { movementWrites } from './transaction-writes.ts';

/** Each month has its own partition. The UUID of an adjustment contains its month. */
const monthLength = 'yyyy-mm'.length;
const recordPrefix = 'ADJUSTMENT#';
const records = defineEntity(ManualAdjustment, (uuid: string) => ({
  pk: `${partitions.adjustment}${timeOfUuid(uuid).toISOString().slice(0, monthLength)}`,
  sk: recordPrefix + uuid,
}));

type Account = Pick<WantedAdjustment, 'userId' | 'partnerId'>;
const accountPartition = ({ userId, partnerId }: Account) => `${partitions.adjustment}${userId}#${partnerId}`;

/**
 * The guard of a reference, so that the reference adjusts an account once. The key contains a digest, because people
 * write references.
 */
const references = defineEntity(z.object({ uuid: z.string() }), (account: Account, reference: string) => ({
  pk: accountPartition(account),
  sk: `REFERENCE#${createHash('sha256').update(reference).digest('hex')}`,
}));

/** The points of an account that operators adjusted in one month without a second person. */
const alone = defineEntity(z.object({ points: z.int() }), (account: Account, at: string) => ({
  pk: accountPartition(account),
  sk: `ALONE#${at.slice(0, monthLength)}`,
}));

/** Whether an item is an adjustment, and not a guard or a counter. */
export const isAdjustmentRecord = ({ sk }: { readonly sk: string }): boolean => sk.startsWith(recordPrefix);

/** Manual adjustments, by the month of their proposal. */
export class ManualAdjustments extends Repository {
  /** Finds an adjustment by its UUID. */
  async find(uuid: string): Promise<ManualAdjustment | undefined> {
    const item = await this.table.get(records.key(uuid));
    return item && records.parse(item);
  }

  /** Finds the adjustment of an account with an operator's reference. */
  async findByReference(account: Account, reference: string): Promise<ManualAdjustment | undefined> {
    const item = await this.table.get(references.key(account, reference));
    return item && this.find(references.parse(item).uuid);
  }

  /** The points of an account that were adjusted without a second person in the month of `at`. */
  async adjustedAlone(account: Account, at: string): Promise<number> {
    const item = await this.table.get(alone.key(account, at));
    return item ? alone.parse(item).points : 0;
  }

  /** All adjustments that were proposed in a month (`2026-11`, UTC), the oldest first. */
  async of(month: string): Promise<ManualAdjustment[]> {
    const partition = partitions.adjustment + month;
    return (await this.table.query({ partition, sortBeginsWith: recordPrefix })).map(records.parse);
  }
}

/** The writes of a new adjustment. Their conditions fail when its reference was used, or another one was faster. */
export function newAdjustmentWrites(adjustment: ManualAdjustment): Write[] {
  const { uuid, reference, points, state, proposed } = adjustment;
  const amount = Math.abs(points);
  const counted: Write = {
    kind: 'update',
    key: alone.key(adjustment, proposed.at),
    changes: { add: { points: amount } },
    when: [{ attribute: 'points', is: 'at-most', value: maximumPointsAdjustedAlone - amount }],
  };
  return [
    { kind: 'put', item: references.item(references.key(adjustment, reference), { uuid }), when: isNew },
    { kind: 'put', item: records.item(records.key(uuid), adjustment), when: isNew },
    ...(state === 'APPLIED' ? [counted] : []),
    ...appliedWrites(adjustment),
  ];
}

/** The writes of an approval or a refusal. Their conditions fail when the proposal was decided before. */
export function decidedAdjustmentWrites(adjustment: ManualAdjustment): Write[] {
  const { uuid, state, decided } = adjustment;
  return [
    {
      kind: 'update',
      key: records.key(uuid),
      changes: { set: { state, decided } },
      when: [{ attribute: 'state', is: '=', value: 'PROPOSED' }],
    },
    ...appliedWrites(adjustment),
  ];
}

/** The movements of an applied adjustment. Its ledger entry is new, so an adjustment moves points once. */
function appliedWrites(adjustment: ManualAdjustment): Write[] {
  const { state, decided } = adjustment;
  return state === 'APPLIED' && decided ? movementWrites(movementsOfAdjustment(adjustment, new Date(decided.at))) : [];
}
