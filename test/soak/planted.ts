import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/**
 * Bugs that the soak test has to find. Each bug removes one guard of the platform. The text of a file is replaced while
 * Node loads it; the file on disk does not change.
 */

/** A text of a file, and its replacement. */
export interface PlantedBug {
  /** The name on the command line and in the results. */
  readonly name: string;
  readonly file: string;
  /** The text to replace. It occurs once in the file. */
  readonly find: string;
  readonly replace: string;
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a limit is charged without a condition',
    file: 'shared/store/member/members.ts',
    find: "...(amount > 0 && Number.isFinite(most) && { when: [{ attribute: 'used', is: 'at-most', value: most - amount }] }),",
    replace: '',
  },
  {
    name: 'a velocity rule counts without a condition',
    file: 'shared/store/ledger/velocity-counters.ts',
    find: "        when: [{ attribute: 'used', is: 'at-most', value: most - amount }],\n",
    replace: '',
  },
  {
    name: 'a reward counts twice for a velocity rule',
    file: 'shared/store/ledger/velocity-counters.ts',
    find: "        { attribute: 'counted', is: 'absent' },\n",
    replace: '',
  },
  {
    name: 'points are held without a condition',
    file: 'shared/domain/ledger/sum-movements.ts',
    find: "...(available < 0 ? [{ balance: 'available', is: 'at-least', points: 0 - available } as const] : []),",
    replace: '',
  },
  {
    name: 'refunds of one transaction do not see each other',
    file: 'shared/store/ledger/transaction-writes.ts',
    find: "if (!refunds) return { attribute: 'refundRevision', is: 'absent' };",
    replace: "return { attribute: 'state', is: 'present' };",
  },
  {
    name: 'a refund exceeds its order',
    file: 'shared/store/order/refunds.ts',
    find: "{ attribute: 'refundedCents', is: 'at-most', value: total.cents - amountCents },",
    replace: '',
  },
  {
    name: 'a token is spent without a condition',
    file: 'shared/store/award/claims.ts',
    find: "    when: [...tokenIsIssued(claim.authenticationId), { attribute: 'expiresAt', is: '>', value: now.toISOString() }],\n",
    replace: '',
  },
  {
    name: 'a token replaces a spent one',
    file: 'shared/store/ledger/transactions.ts',
    find: "{ kind: 'put', item: claimItem(claim), when: tokenIsIssued(earlier.authenticationId) },",
    replace: "{ kind: 'put', item: claimItem(claim) },",
  },
  {
    name: 'a payment event overwrites a simultaneous one',
    file: 'shared/store/payment/payments.ts',
    find: "  const when = payment.revision === 1 ? isNew : hasRevision(payment.revision - 1);\n  return { kind: 'put', item: item(payment), when };",
    replace: "  return { kind: 'put', item: item(payment) };",
  },
  {
    name: 'a processed payment overwrites a simultaneous event',
    file: 'shared/store/payment/payments.ts',
    find: "{ kind: 'put', item: item(withNextRevision(payment)), when: hasRevision(payment.revision) }",
    replace: "{ kind: 'put', item: item(withNextRevision(payment)) }",
  },
  {
    name: 'a new token overwrites the claim of an older token',
    file: 'shared/store/ledger/transactions.ts',
    find: "{ kind: 'put', item: claimItem(claim), when: isNew },",
    replace: "{ kind: 'put', item: claimItem(claim) },",
  },
  {
    name: 'an award overwrites the claim of an earlier award',
    file: 'shared/store/ledger/transactions.ts',
    find: "    const writes: Write[] = [\n      { kind: 'put', item: claimItem(award.claim), when: isNew },",
    replace: "    const writes: Write[] = [\n      { kind: 'put', item: claimItem(award.claim) },",
  },
  {
    name: 'awards of a batch overwrite the claims of earlier awards',
    file: 'shared/store/ledger/transactions.ts',
    find: "(award): Write[] => [\n        { kind: 'put', item: claimItem(award.claim), when: isNew },",
    replace: "(award): Write[] => [\n        { kind: 'put', item: claimItem(award.claim) },",
  },
  {
    name: 'a refund counts each time that it is reported',
    file: 'shared/store/order/refunds.ts',
    find: "{ kind: 'put', item: refunds.item(refunds.key(of, refund.externalRefundId), refund), when: isNew },",
    replace: "{ kind: 'put', item: refunds.item(refunds.key(of, refund.externalRefundId), refund) },",
  },
  {
    name: 'an order overwrites an earlier order with the same id',
    file: 'shared/store/order/orders.ts',
    find: "{ kind: 'put', item: orders.item(orderKey(order), order), when: isNew },",
    replace: "{ kind: 'put', item: orders.item(orderKey(order), order) },",
  },
  {
    name: 'totals count a repeated batch again',
    file: 'shared/store/table/count-once.ts',
    find: "({ kind: 'put', item, when: isNew })",
    replace: "({ kind: 'put', item })",
  },
  {
    name: 'a write whose reply was lost is done again',
    file: 'shared/store/table/table-client.ts',
    find: 'TransactItems: items, ClientRequestToken: randomUUID() }',
    replace: 'TransactItems: items }',
  },
  {
    name: 'an older stage of a refund replaces a newer one',
    file: 'shared/domain/payment/payment-book.ts',
    find: 'return known === undefined || isGreater(keysOf(entry), keysOf(known));',
    replace: 'return true;',
  },
  {
    name: 'a token holds no points',
    file: 'shared/domain/ledger/movement-table.ts',
    find: "REDEEM:          { limits: 'charge', available: '-points', held: '+points' },",
    replace: "REDEEM:          { limits: 'charge' },",
  },
  {
    name: 'an expired token does not return its limits',
    file: 'shared/domain/ledger/movement-table.ts',
    find: "to: 'CANCELLED',\n    EARN:            { limits: 'return' },",
    replace: "to: 'CANCELLED',\n    EARN:            {},",
  },
  {
    name: 'a rejected reversal keeps the points',
    file: 'shared/domain/ledger/movement-table.ts',
    find: "EARN_REVERSAL:   { restored: '+covered', held: '-covered', owed: '-shortfall' },",
    replace: "EARN_REVERSAL:   { held: '-covered', owed: '-shortfall' },",
  },
  {
    name: 'runs of one purchase do not see each other',
    file: 'shared/store/member/spend.ts',
    find: "{ kind: 'put', item: purchases.item(purchases.key(purchase), purchase), when: [isUnchanged] },",
    replace: "{ kind: 'put', item: purchases.item(purchases.key(purchase), purchase) },",
  },
  {
    name: 'a payment that names its order late stays a purchase of its own, too',
    file: 'shared/operations/purchase/load-book.ts',
    find: 'joining: await findJoining(payments, found, deps),',
    replace: 'joining: [],',
  },
  {
    name: 'a purchase ignores the other payments of its order',
    file: 'shared/operations/purchase/load-book.ts',
    find: 'deps.payments.findOfOrder(orderKey),',
    replace: '[],',
  },
  {
    name: "a purchase ignores the merchant's refunds",
    file: 'shared/operations/purchase/load-book.ts',
    find: 'statementsOf({ ...reports, refunds: await loadRefunds(refunded, deps) })',
    replace: 'statementsOf({ ...reports, refunds: new Map() })',
  },
  {
    name: 'a purchase ignores the points that paid',
    file: 'shared/operations/purchase/load-book.ts',
    find: '.filter((claim) => paysWithPoints(claim) && isDone(claim))',
    replace: '.filter(() => false)',
  },
  {
    name: 'the first of two shares counts, and not the larger',
    file: 'shared/domain/purchase/settle.ts',
    find: 'return larger(plus(ofOrder, ofClaims.reduce(larger, nothing)), returnedShare(statements));',
    replace: 'return plus(ofOrder, ofClaims.reduce(larger, nothing));',
  },
  {
    name: 'a move ignores the earlier moves',
    file: 'shared/domain/purchase/settle.ts',
    find: 'points: points - refunds.points,',
    replace: 'points,',
  },
  {
    name: 'a move does not wait for a pending reversal',
    file: 'shared/domain/purchase/move.ts',
    find: "return isAnswered(original) && pendingReversals === 0 ? change : 'wait';",
    replace: "return isAnswered(original) ? change : 'wait';",
  },
  {
    name: 'a transaction is not marked that a move waits for it',
    file: 'shared/domain/purchase/move.ts',
    find: 'if (news.length === 0) return refunds;',
    replace: 'return refunds;',
  },
  {
    name: 'purchases that wait for the program are forgotten',
    file: 'shared/store/ledger/transactions.ts',
    find: '...purchaseUuids.map((uuid) => purchaseChangedWrite(uuid, context)),',
    replace: '',
  },
  {
    name: 'a token that comes after other reports is not announced',
    file: 'shared/operations/stream/count-changes.ts',
    find: 'for (const { announce } of news) await table.write(announce(context));',
    replace: '',
  },
  {
    name: 'a further award does not fit its limits',
    file: 'shared/domain/purchase/move.ts',
    find: '(least, { limitId, period, most }) => Math.min(least, Math.max(0, most - usedOf(limitId, period))),',
    replace: '(least) => least,',
  },
  {
    name: 'refunds of a pending order are never applied',
    file: 'shared/operations/purchase/load-book.ts',
    find: ' && refunded.every(areRefundsApplied);',
    replace: ';',
  },
  {
    name: 'the legs of a transfer end one by one',
    file: 'shared/store/ledger/transactions.ts',
    find: 'return [transaction, other];',
    replace: 'return [transaction];',
  },
  {
    name: 'attempts that are due are not queued again',
    file: 'shared/operations/posting/retry-postings.ts',
    find: "await queue.send(due.map((posting) => ({ kind: 'post', ...posting })));",
    replace: '',
  },
  {
    name: 'a message that failed is deleted',
    file: 'shared/runtime/consumer.ts',
    find: 'return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };',
    replace: 'return { batchItemFailures: [] };',
  },
];

const root = new URL('../../', import.meta.url);

/** Counts how often the text of a bug occurs in its file. It has to occur once. */
export function occurrencesOf({ file, find }: PlantedBug): number {
  return readFileSync(new URL(file, root), 'utf8').split(find).length - 1;
}

/**
 * Plants a bug of {@link plantedBugs} in this process. Call it before anything imports the bug's file.
 *
 * @throws Error when no bug has this name
 */
export function plant(name: string): void {
  const bug = plantedBugs.find((one) => one.name === name);
  if (!bug) throw new Error(`there is no planted bug "${name}"`);
  plantBug(bug);
}

/**
 * Plants a bug: Node loads the bug's file with the replacement.
 *
 * @throws Error when the file does not contain the text to replace exactly once
 */
export function plantBug(bug: PlantedBug): void {
  if (occurrencesOf(bug) !== 1) throw new Error(`${bug.file} does not contain once: ${bug.find}`);
  const url = new URL(bug.file, root).href;
  registerHooks({
    load: (loaded, context, nextLoad) => {
      const result = nextLoad(loaded, context);
      if (loaded !== url) return result;
      return { ...result, source: String(result.source).replace(bug.find, () => bug.replace) };
    },
  });
}
