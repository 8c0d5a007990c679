import { beforeAll, describe, expect, it } from 'vitest';
import { AdjustmentNotAllowedError } from '../../shared/domain/ledger/manual-adjustment.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { NotReversibleError } from '../../shared/domain/reversal/operator-reversal.ts';
import { OperationError } from '../../shared/operations/errors.ts';
import { cancelByOperator, reverseByOperator } from '../../shared/operations/ledger/manage-transactions.ts';
import { adjustPoints, approveProposal, listAdjustments } from '../../shared/operations/member/adjust-points.ts';
import { ContentionError } from '../../shared/store/table/table-client.ts';
import { fc } from '../support/fast-check.ts';
import { confirm, reject } from '../support/finalize.ts';
import { faultsOf, readBooks } from '../support/reconcile.ts';
import { ask, createBy, newShopper, type Shopper } from '../support/shoppers.ts';
import { makeWorld, type World } from '../support/world.ts';

/** Random histories in which operators adjust, reverse and cancel while members earn and redeem. */

const points = fc.integer({ min: 1, max: 400 });
const steps = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('earn'), dollars: points }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('redeem'), dollars: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('spend'), which: fc.nat() }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('answer'), which: fc.nat(), isYes: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('adjust'),
      points: fc.oneof(
        points,
        points.map((one) => -one),
        fc.constantFrom(9_999, 10_001, -10_001),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('approve'), which: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('reverse'), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel'), which: fc.nat() }) },
);
const histories = fc.array(fc.array(steps, { minLength: 1, maxLength: 4 }), { minLength: 5, maxLength: 10 });
type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

let world: World;
let adjustments = 0;
const done = new Map<string, number>();

beforeAll(async () => {
  world = await makeWorld();
});

const authorOf = (operator: string) => ({ operator: async () => operator, actor: null, command: 'test' });
const depsOf = (operator: string) => ({ ...world.platform, author: authorOf(operator) });

/** The answers of endpoint 1 whose token was not used yet. */
type Tokens = Awaited<ReturnType<typeof ask>>[];

async function take(step: Step, shopper: Shopper, tokens: Tokens): Promise<void> {
  const { demo, platform } = world;
  const among = async (state: RewardTransaction['state']) => {
    const { transactions } = await readBooks(world.table);
    return transactions.filter((one) => one.userId === shopper.id && one.state === state);
  };
  const pick = <Value>(values: readonly Value[], which: number) => values[which % Math.max(1, values.length)];
  switch (step.kind) {
    case 'earn':
    case 'redeem':
      tokens.push(await ask(shopper, { campaignId: demo.campaigns[step.kind], amount: step.dollars }));
      return;
    case 'spend': {
      const token = pick(tokens, step.which);
      if (token) await createBy(shopper, token);
      return;
    }
    case 'answer': {
      const pending = pick(await among('PENDING'), step.which);
      if (pending) await (step.isYes ? confirm(pending, platform) : reject(pending, 'no', platform));
      return;
    }
    case 'adjust': {
      const reference = `ticket-${++adjustments}`;
      const member = { id: String(shopper.id) };
      const request = { member, program: String(demo.partner.id), points: step.points, reason: 'a test', reference };
      // The same request, sent twice in parallel, adjusts the points once.
      await Promise.all([adjustPoints(request, depsOf('one')), adjustPoints(request, depsOf('one'))]);
      break;
    }
    case 'approve': {
      const open = await listAdjustments(undefined, depsOf('two'));
      const proposal = pick(
        open.filter(({ userId }) => userId === shopper.id),
        step.which,
      );
      if (proposal) await approveProposal({ uuid: proposal.uuid }, depsOf('two'));
      break;
    }
    case 'reverse': {
      const completed = pick(await among('COMPLETED'), step.which);
      if (completed) await reverseByOperator({ id: completed.uuid, reason: 'a test' }, depsOf('one'));
      break;
    }
    case 'cancel': {
      const reserved = pick(await among('INITIATED'), step.which);
      if (reserved) await cancelByOperator({ id: String(reserved.id), reason: 'a test' }, depsOf('one'));
      break;
    }
  }
  done.set(step.kind, (done.get(step.kind) ?? 0) + 1);
}

/** An operator may be refused, or another writer may be faster. Any other error is a defect. */
const expected = [AdjustmentNotAllowedError, NotReversibleError, OperationError, ContentionError];
const failuresOf = (result: PromiseSettledResult<void>): unknown[] =>
  result.status === 'fulfilled' || expected.some((kind) => result.reason instanceof kind) ? [] : [result.reason];

describe('parallel random steps of members and operators', () => {
  it('keep balance and ledger equal', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (rounds) => {
        const shopper = await newShopper(world, 500);
        const tokens: Tokens = [];
        for (const round of rounds) {
          const results = await Promise.allSettled(round.map((step) => take(step, shopper, tokens)));

          expect(results.flatMap(failuresOf)).toEqual([]);
          const books = await readBooks(world.table);
          expect(faultsOf(books)).toEqual([]);
          const own = books.memberships.filter(({ userId }) => userId === shopper.id);
          expect(own.filter(({ availablePoints, heldPoints }) => availablePoints < 0 || heldPoints < 0)).toEqual([]);
          const applied = books.adjustments.filter(({ state }) => state === 'APPLIED');
          expect(new Set(applied.map(({ reference }) => reference)).size).toBe(applied.length);
        }
      }),
      { numRuns: 8, endOnFailure: true },
    );
    for (const kind of ['adjust', 'approve', 'reverse', 'cancel']) expect(done.get(kind)).toBeGreaterThan(0);
  }, 120_000);
});
