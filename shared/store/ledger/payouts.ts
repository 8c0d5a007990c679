import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import {
  Payout,
  PayoutBatch,
  type PayoutInBatch,
  type PayoutState,
  payoutStatesBefore,
  toPayoutEntry,
} from '../../domain/ledger/payout.ts';
import type { Membership } from '../../domain/member/member.ts';
import { membershipKey } from '../member/members.ts';
import {
  type Condition,
  defineEntity,
  type Item,
  isNew,
  type Key,
  Repository,
  type Write,
} from '../table/table-client.ts';
import { ledgerWrite } from './ledger.ts';

const partition = (uuid: string) => `${partitions.payout}${uuid}`;
const batches = defineEntity(PayoutBatch, (uuid: string) => ({ pk: partition(uuid), sk: 'BATCH' }));

const payoutPrefix = 'PAYOUT#';
const payouts = defineEntity(Payout, (uuid: string, userId: number) => ({
  pk: partition(uuid),
  sk: `${payoutPrefix}${userId}`,
}));

/** Parses an item of a batch's partition. Returns undefined for the batch itself and for lists of batches. */
export function parsePayout(item: Item): PayoutInBatch | undefined {
  if (!item.sk.startsWith(payoutPrefix)) return undefined;
  return { ...payouts.parse(item), batchUuid: item.pk.slice(partitions.payout.length) };
}

/** The list of the batches of a partnership, sorted by time. */
const listPartition = (partnershipUuid: string) => `${partitions.payout}OF#${partnershipUuid}`;
const listed = defineEntity(z.object({ uuid: z.string() }), (partnershipUuid: string, uuid: string) => ({
  pk: listPartition(partnershipUuid),
  sk: uuid,
}));

/** Batches of payouts of cashback. */
export class Payouts extends Repository {
  async find(uuid: string): Promise<PayoutBatch | undefined> {
    const item = await this.table.get(batches.key(uuid));
    return item && batches.parse(item);
  }

  /** The batches of a partnership, the oldest first. */
  async of(partnershipUuid: string): Promise<PayoutBatch[]> {
    const items = await this.table.query({ partition: listPartition(partnershipUuid) });
    const found = await this.table.getAll(items.map((item) => batches.key(listed.parse(item).uuid)));
    return found.map(batches.parse).sort((one, other) => (one.uuid < other.uuid ? -1 : 1));
  }

  /** Whether a batch contains a member. */
  async contains(uuid: string, userId: number): Promise<boolean> {
    return (await this.table.get(payouts.key(uuid, userId))) !== undefined;
  }

  /** The payouts of a batch, sorted by member. */
  async in(uuid: string): Promise<Payout[]> {
    const items = await this.table.query({ partition: partition(uuid), sortBeginsWith: payoutPrefix });
    return items.map(payouts.parse).sort((one, other) => one.userId - other.userId);
  }
}

/** The writes of a new batch. */
export function payoutBatchWrites(batch: PayoutBatch): Write[] {
  const { uuid, partnershipUuid } = batch;
  return [
    { kind: 'put', item: batches.item(batches.key(uuid), batch), when: isNew },
    { kind: 'put', item: listed.item(listed.key(partnershipUuid, uuid), { uuid }), when: isNew },
  ];
}

/** The write that moves a batch to another state, on the condition that the transition is allowed. */
export function payoutStateWrite(
  { uuid }: PayoutBatch,
  next: PayoutState,
  set: Pick<PayoutBatch, 'updatedAt' | 'reference'>,
): Write {
  return {
    kind: 'update',
    key: batches.key(uuid),
    changes: { set: { ...set, state: next } },
    when: [{ attribute: 'state', is: 'in', values: payoutStatesBefore(next) }],
  };
}

/**
 * The writes that add a member to a batch: a row in the batch, a change of the account, and a ledger entry. They fail
 * unless the batch is OPEN, the member is not in the batch, and the account's cashback and payouts are as they were
 * read.
 */
export function payoutWrites(batch: PayoutBatch, payout: Payout, membership: Membership, now: Date) {
  const { cashbackCents, paidOutCents } = membership;
  return [
    checkOf(batch, ['OPEN']),
    { kind: 'put', item: payouts.item(payouts.key(batch.uuid, payout.userId), payout), when: isNew },
    accountWrite(payout, payout.cents, [
      { attribute: 'cashbackCents', is: '=', value: cashbackCents },
      paidOutCents === undefined
        ? { attribute: 'paidOutCents', is: 'absent' }
        : { attribute: 'paidOutCents', is: '=', value: paidOutCents },
    ]),
    ledgerWrite(toPayoutEntry(batch, payout, now)),
  ] as const;
}

/** The writes that return the amount of a member to the unpaid cashback, once. */
export function payoutReturnWrites(batch: PayoutBatch, payout: Payout, now: Date) {
  const returned = { ...payout, isReturned: true };
  const row: Write = {
    kind: 'update',
    key: payouts.key(batch.uuid, payout.userId),
    changes: { set: { isReturned: true } },
    when: [{ attribute: 'isReturned', is: '=', value: false }],
  };
  return [
    checkOf(batch, ['EXPORTED', 'PAID', 'RETURNING']),
    row,
    accountWrite(payout, 0 - payout.cents, []),
    ledgerWrite(toPayoutEntry(batch, returned, now)),
  ] as const;
}

const checkOf = ({ uuid }: PayoutBatch, values: readonly PayoutState[]) =>
  ({ kind: 'check', key: batches.key(uuid), when: [{ attribute: 'state', is: 'in', values }] }) as const;

function accountWrite({ userId, partnerId }: Payout, paidOutCents: number, when: readonly Condition[]): Write {
  const key: Key = membershipKey(userId, partnerId);
  return {
    kind: 'update',
    key,
    changes: { add: { paidOutCents } },
    when: [{ attribute: 'pk', is: 'present' }, ...when],
  };
}
