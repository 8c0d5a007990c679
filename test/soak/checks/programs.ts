import { coveredPoints, kindOf } from '../../../shared/domain/ledger/movement-table.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { settlementUuidOf } from '../../../shared/store/ledger/ledger.ts';
import { type Check, isDone, nameOf, sum } from './end.ts';

/**
 * The partner's own program has the transactions that the platform calls confirmed. It has each of them once, and no
 * others.
 */
export const programTransactions: Check = {
  name: 'the program applied every transaction once',
  find: ({ transactions, scene, programBooks, reading }) => {
    const own = transactions.filter(({ partnerId }) => partnerId === scene.ownProgramOf);
    const known = new Map(own.map((one) => [one.uuid, one]));
    const settled = new Map(
      reading.books.entries
        .filter(({ kind, partnerId }) => kind === 'SETTLEMENT' && partnerId === scene.ownProgramOf)
        .map((entry) => [settlementUuidOf(entry.transactionUuid), entry]),
    );
    const foreign = Object.keys(programBooks.transactions).filter((uuid) => !known.has(uuid) && !settled.has(uuid));
    const movedBy = (uuid: string) =>
      programBooks.movements.filter(({ transaction_uuid }) => transaction_uuid === uuid);
    return [
      ...foreign.map((uuid) => `the program has ${uuid}, which the platform does not`),
      ...[...settled].flatMap(([uuid, entry]) => {
        const points = sum(movedBy(uuid), (movement) => movement.points);
        return points === entry.points ? [] : [`the program moved ${points} points to settle ${entry.points}`];
      }),
      ...own.flatMap((one) => {
        const entry = programBooks.transactions[one.uuid];
        const moved = movedBy(one.uuid);
        const points = sum(moved, (movement) => movement.points);
        const expected = isDone(one) ? postedPoints(one) : 0;
        const isConfirmed = entry?.status === 'confirmed';
        return [
          ...(isConfirmed === isDone(one) ? [] : [`the program has ${nameOf(one)} as ${entry?.status ?? 'absent'}`]),
          ...(points === expected ? [] : [`the program moved ${points} points for ${nameOf(one)}, not ${expected}`]),
          ...(moved.length > 2 ? [`the program moved the points of ${nameOf(one)} ${moved.length} times`] : []),
        ];
      }),
    ];
  },
};

/**
 * The points that the program adds for a transaction. Three kinds of transactions add points: awards, restorations of
 * awards, and refunds of points that were paid. All other kinds subtract points.
 */
function postedPoints(transaction: RewardTransaction): number {
  const adds = ['EARN', 'REDEEM_REVERSAL', 'EARN_RESTORATION'].includes(kindOf(transaction));
  return adds ? coveredPoints(transaction) : 0 - coveredPoints(transaction);
}

/**
 * The platform and the program have the same balances. The platform's adjustments equal the points that the program
 * moved by itself.
 */
export const programBalances: Check = {
  name: 'the program has the same balances',
  find: ({ memberships, scene, story, programBooks, reading }) =>
    memberships
      .filter(({ partnerId }) => partnerId === scene.ownProgramOf)
      .flatMap(({ userId, partnerId, externalId, availablePoints, heldPoints }) => {
        const account = programBooks.accounts[externalId];
        const adjusted = sum(
          reading.books.entries.filter(
            (one) => one.userId === userId && one.partnerId === partnerId && one.kind === 'ADJUSTMENT',
          ),
          ({ points }) => points,
        );
        const moved = story.moved.get(externalId) ?? 0;
        const balance = availablePoints + heldPoints;
        return [
          ...(account?.balance === balance ? [] : [`${externalId} has ${balance}, at the program ${account?.balance}`]),
          ...(adjusted === moved ? [] : [`${externalId} is adjusted by ${adjusted}, and ${moved} moved`]),
        ];
      }),
};
