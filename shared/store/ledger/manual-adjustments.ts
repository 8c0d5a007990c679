import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { maximumPointsAdjustedAlone, maximumPointsMovedAlone } from '../../contracts/limits.ts';
import { partitions } from '../../contracts/table.ts';
import { timeOfUuid } from '../../domain/ids.ts';
import {
  type BalanceChange,
  giftsByAccount,
  ManualAdjustment,
  type Move,
  type MovedAlone,
  movementsOfAdjustment,
  personOf,
  pointsMovedBy,
  type Signature,
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
 * The guard of a reference: only one adjustment of an account may have this reference. The key contains a digest,
 * because a reference is free text of an operator.
 */
const references = defineEntity(z.object({ uuid: z.string() }), (account: Account, reference: string) => ({
  pk: accountPartition(account),
  sk: `REFERENCE#${createHash('sha256').update(reference).digest('hex')}`,
}));

/**
 * The points that were moved in one month without the approval of a second operator. Each account and each operator has
 * such a sum.
 */
const alone = defineEntity(z.object({ points: z.int() }), (partition: string, month: string) => ({
  pk: partition,
  sk: `ALONE#${month}`,
}));
const personPartition = (signature: Signature) => `${partitions.adjustment}PERSON#${personOf(signature)}`;

/** One operator's approval of one command of another operator. The key contains a digest of the command. */
const Approval = z.object({ operator: z.string(), points: z.int(), expiresAt: z.string() });
export type Approval = z.infer<typeof Approval>;
const approvals = defineEntity(Approval, (approved: Approved, person: string) => ({
  pk: approvalPartition(approved),
  sk: `BY#${person}`,
}));

/** What an approval is for: points that a command moves, a new address of a program, or a version of a campaign. */
export type Approved = Move | ProgramSwitch | CampaignVersion;

/** A version of a campaign that may award much. An edited document needs a new approval. */
export interface CampaignVersion {
  readonly campaignId: number;
  readonly version: number;
  readonly document: object;
}

/** A new address of a program whose accounts are in use. */
export interface ProgramSwitch {
  readonly partnerId: number;
  /** The URL of the program, or `hosted`. */
  readonly from: string;
  readonly to: string;
}

function approvalPartition(approved: Approved): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(namesOf(approved)))
    .digest('hex');
  return `${partitions.adjustment}APPROVAL#${digest}`;
}

/**
 * Everything that an approval covers, as a list. The first element is the kind of the command, so the approval is valid
 * for no other kind.
 */
function namesOf(approved: Approved): readonly unknown[] {
  if ('partnerId' in approved) return ['PROGRAM', approved.partnerId, approved.from, approved.to];
  if ('campaignId' in approved) return ['CAMPAIGN', approved.campaignId, approved.version, approved.document];
  const { changes, merge } = approved;
  const sorted = changes
    .map(({ partnerId, memberId, holder, unit, from, to, given }) =>
      JSON.stringify([partnerId, memberId, holder, unit ?? 'POINTS', from, to, ...(given ? [given.by] : [])]),
    )
    .toSorted();
  return merge ? ['MERGE', merge.keptId, merge.goneId, sorted] : ['ACCOUNTS', sorted];
}

/** Whether an item is an adjustment, and not a guard or a counter. */
export const isAdjustmentRecord = ({ sk }: { readonly sk: string }): boolean => sk.startsWith(recordPrefix);

/** Manual adjustments, by the month of their proposal. */
export class ManualAdjustments extends Repository {
  /** Finds an adjustment by its UUID. */
  async find(uuid: string): Promise<ManualAdjustment | undefined> {
    const item = await this.table.get(records.key(uuid));
    return item && records.parse(item);
  }

  /** Finds an adjustment of an account by the reference that an operator gave the adjustment. */
  async findByReference(account: Account, reference: string): Promise<ManualAdjustment | undefined> {
    const item = await this.table.get(references.key(account, reference));
    return item && this.find(references.parse(item).uuid);
  }

  /** The points that were moved in a month without a second person. */
  async movedAlone(account: Account, signature: Signature, month: string): Promise<MovedAlone> {
    const [ofAccount, byPerson] = await Promise.all([
      this.adjustedAlone(account, month),
      this.movedByPerson(signature, month),
    ]);
    return { ofAccount, byPerson };
  }

  /** The points by which operators adjusted an account in a month without a second person. */
  adjustedAlone(account: Account, month: string): Promise<number> {
    return this.#pointsOf(accountPartition(account), month);
  }

  /** The points that an operator moved in a month without a second person. */
  movedByPerson(signature: Signature, month: string): Promise<number> {
    return this.#pointsOf(personPartition(signature), month);
  }

  async #pointsOf(partition: string, month: string): Promise<number> {
    const item = await this.table.get(alone.key(partition, month));
    return item ? alone.parse(item).points : 0;
  }

  /** The approvals of a command, also those that have expired. */
  async approvalsOf(approved: Approved): Promise<Approval[]> {
    return (await this.table.query({ partition: approvalPartition(approved) })).map(approvals.parse);
  }

  /** All adjustments that were proposed in a month (`2026-11`, UTC), the oldest first. */
  async of(month: string): Promise<ManualAdjustment[]> {
    const partition = partitions.adjustment + month;
    return (await this.table.query({ partition, sortBeginsWith: recordPrefix })).map(records.parse);
  }
}

/**
 * The writes of a new adjustment. Their conditions fail when the reference was used before. They also fail when, since
 * the decision, other writes have used up the available points or a monthly maximum.
 *
 * @param month the platform's month, in which an adjustment without a second person counts
 */
export function newAdjustmentWrites(adjustment: ManualAdjustment, month: string): Write[] {
  const { uuid, reference, points, state, proposed } = adjustment;
  const amount = Math.abs(points);
  const counted = [
    countedWrite(accountPartition(adjustment), month, { amount, most: maximumPointsAdjustedAlone }),
    countedWrite(personPartition(proposed), month, { amount, most: maximumPointsMovedAlone }),
  ];
  return [
    { kind: 'put', item: references.item(references.key(adjustment, reference), { uuid }), when: isNew },
    { kind: 'put', item: records.item(records.key(uuid), adjustment), when: isNew },
    ...(state === 'APPLIED' ? counted : []),
    ...appliedWrites(adjustment),
  ];
}

const countedWrite = (partition: string, month: string, { amount, most }: { amount: number; most: number }) =>
  ({
    kind: 'update',
    key: alone.key(partition, month),
    changes: { add: { points: amount } },
    when: [{ attribute: 'points', is: 'at-most', value: most - amount }],
  }) as const satisfies Write;

/**
 * The writes that count the points that an operator moves without a second person: for the operator, and for each
 * account of a member that receives points. They fail with `refusal` if a sum of the month would exceed its maximum.
 */
export function movedAloneWrites(
  changes: readonly BalanceChange[],
  { signature, month, refusal }: { readonly signature: Signature; readonly month: string; readonly refusal: Error },
): Write[] {
  const amount = pointsMovedBy(changes);
  return [
    countedWrite(personPartition(signature), month, { amount, most: maximumPointsMovedAlone }),
    ...giftsByAccount(changes).map((gift) =>
      countedWrite(accountPartition(gift), month, { amount: gift.points, most: maximumPointsAdjustedAlone }),
    ),
  ].map((write) => ({ ...write, refusal }));
}

/** The write by which an operator approves a command of another operator. */
export const approvalWrite = (approved: Approved, signature: Signature, approval: Approval): Write => ({
  kind: 'put',
  item: approvals.item(approvals.key(approved, personOf(signature)), approval),
});

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

/** The writes that move the points of an applied adjustment. They fail if its ledger entry exists already. */
function appliedWrites(adjustment: ManualAdjustment): Write[] {
  const { state, decided } = adjustment;
  return state === 'APPLIED' && decided ? movementWrites(movementsOfAdjustment(adjustment, new Date(decided.at))) : [];
}
