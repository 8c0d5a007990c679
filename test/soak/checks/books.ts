import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { faultsOf, readBooks } from '../../support/reconcile.ts';
import { type Check, isAward, isDone, nameOf, signOf, sum } from './end.ts';

export const events: Check = {
  name: 'every change was announced once',
  find: async ({ table, everSuspended }) => {
    const faults = faultsOf(await readBooks(table));
    // A transaction gets two more events each time that it goes to ERROR and leaves it again. So the number of events
    // of such a transaction is not checked.
    // Counters of limits have checks of their own, which know that old counters are deleted.
    const isOfLimit = (fault: string) => fault.startsWith('limit ');
    return faults.filter(
      (fault) => !isOfLimit(fault) && ![...everSuspended].some((id) => fault.startsWith(`transaction ${id} `)),
    );
  },
};

export const nothingPending: Check = {
  name: 'nothing is pending',
  find: ({ transactions, claims, orders, triggerEvents, memberships, story }) => [
    ...transactions.filter(({ state }) => ['INITIATED', 'PENDING', 'HELD', 'ERROR'].includes(state)).map(nameOf),
    ...claims
      .filter(({ state }) => state === 'ISSUED')
      .map(({ externalTransactionId, expiresAt }) => `the token for ${externalTransactionId} until ${expiresAt}`),
    ...orders.filter(({ state }) => state === 'PENDING').map(({ externalOrderId }) => `order ${externalOrderId}`),
    ...triggerEvents.filter(({ state }) => state === 'RECEIVED').map(({ uuid }) => `trigger event ${uuid}`),
    ...memberships
      .filter(({ heldPoints }) => heldPoints !== 0)
      .map(({ userId, partnerId, heldPoints }) => `${heldPoints} held points of ${userId} in ${partnerId}`),
    ...story.connects.filter(({ isDone: isOver }) => !isOver).map(({ memberId }) => `the link of ${memberId}`),
  ],
};

/**
 * No points appear or disappear: a balance, less what the member owes, is the sum of the points that transactions
 * moved.
 */
export const balances: Check = {
  name: 'every balance is what its transactions moved',
  find: ({ memberships, transactions, reading }) =>
    memberships.flatMap(({ userId, partnerId, availablePoints, heldPoints, owedPoints, cashbackCents }) => {
      const isOwn = (one: { readonly userId: number; readonly partnerId: number }) =>
        one.userId === userId && one.partnerId === partnerId;
      const done = transactions.filter((one) => isOwn(one) && isDone(one));
      const others = reading.books.entries.filter((one) => isOwn(one) && ['OPENING', 'ADJUSTMENT'].includes(one.kind));
      const moved = sum(done, (one) => signOf(one) * (one.type === 'EARN' ? one.points : 0 - one.points));
      const expected = moved + sum(others, ({ points }) => points);
      const cents = sum(done, (one) => signOf(one) * one.cashbackCents);
      const name = `member ${userId} in program ${partnerId}`;
      return [
        ...(availablePoints + heldPoints - owedPoints === expected
          ? []
          : [`${name} has ${availablePoints} + ${heldPoints} points and owes ${owedPoints}, not ${expected} in all`]),
        ...(cashbackCents === cents ? [] : [`${name} has ${cashbackCents} cents of cashback, not ${cents}`]),
      ];
    }),
};

/** Totals of campaigns and partnerships equal the sums of their transactions. */
export const totals: Check = {
  name: 'totals are the sums of transactions',
  find: ({ reading, transactions, scene }) => {
    const done = transactions.filter(isDone);
    const subjects = [
      ...reading.after.map(({ partnershipUuid: uuid }) => ({ name: `partnership ${uuid}`, uuid, campaignId: null })),
      ...scene.campaigns.map(({ id, name }) => {
        const uuid = transactions.find(({ campaignId }) => campaignId === id)?.partnershipUuid ?? '';
        return { name: `campaign ${name}`, uuid, campaignId: id };
      }),
    ];
    return subjects.flatMap(({ name, uuid, campaignId }) => {
      const own = done.filter(
        (one) => one.partnershipUuid === uuid && (campaignId ?? one.campaignId) === one.campaignId,
      );
      const counters = reading.after
        .filter(({ partnershipUuid }) => partnershipUuid === uuid)
        .flatMap((one) => one.counters.filter((counter) => (campaignId ?? counter.campaignId) === counter.campaignId));
      const net = (type: 'EARN' | 'REDEEM', amount: (one: RewardTransaction) => number) =>
        sum(
          own.filter((one) => one.type === type),
          (one) => signOf(one) * amount(one),
        );
      const points = (one: RewardTransaction) => (one.isForeign ? 0 : one.points);
      const expected = {
        earnedPoints: net('EARN', points),
        redeemedPoints: net('REDEEM', points),
        cashbackCents: net('EARN', (one) => one.cashbackCents),
        transactions: own.filter(isAward).length,
      };
      return (Object.keys(expected) as (keyof typeof expected)[]).flatMap((total) => {
        const found = sum(counters, (counter) => counter.totals[total]);
        return found === expected[total] ? [] : [`${total} of ${name}: ${found}, not ${expected[total]}`];
      });
    });
  },
};

/** Points that leave one program arrive in the other: both legs of a transfer end in the same state. */
export const transfers: Check = {
  name: 'both legs of a transfer happen, or neither',
  find: ({ transactions }) =>
    transactions
      .filter(({ otherLegId }) => otherLegId !== undefined)
      .flatMap((leg) => {
        const other = transactions.find(({ id }) => id === leg.otherLegId);
        return other?.state === leg.state ? [] : [`${nameOf(leg)} and ${other ? nameOf(other) : 'no other leg'}`];
      }),
};
