import { expect, it } from 'vitest';
import type { Posting } from '../../../shared/domain/ledger/posting.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { programLines } from '../../../tools/admin/explain/program.ts';
import { aTransaction } from '../../domain/fixtures.ts';

const program = { name: 'Skyline Miles', timeZone: 'UTC' };

const startedAt = '2026-03-08T12:00:00.000Z';
const posting = (more: Partial<Posting> = {}): Posting => ({
  attempts: 3,
  startedAt,
  dueAt: '2026-03-08T12:10:00.000Z',
  problem: 'no reply in time',
  ...more,
});
const reverses = { id: 7, uuid: 'the original', refundUuid: 'the refund' };

it.each<[string, Partial<RewardTransaction>, readonly string[]]>([
  [
    'whose token is not spent',
    { state: 'INITIATED' },
    ['The token is not spent yet: Skyline Miles has not received the transaction.'],
  ],
  [
    'whose token expired',
    { state: 'CANCELLED' },
    ['The token expired unspent, or another one replaced it. What it held and used of limits was released.'],
  ],
  ['that is new', { state: 'PENDING' }, ['Skyline Miles has not received it yet.']],
  [
    'that waits while requests to the program pause',
    { state: 'PENDING', posting: posting({ attempts: 0 }) },
    [
      'Requests to Skyline Miles pause, because it does not answer: it has not received the transaction.',
      'The next attempt is due on 2026-03-08 12:10:00 UTC.',
    ],
  ],
  [
    'whose attempt runs',
    { state: 'PENDING', posting: { attempts: 1, startedAt, dueAt: '2026-03-08T12:01:30.000Z' } },
    [
      '1 attempt since 2026-03-08 12:00:00 UTC: the answer of Skyline Miles is not recorded yet.',
      'The next attempt is due on 2026-03-08 12:01:30 UTC.',
    ],
  ],
  [
    'that is retried',
    { state: 'PENDING', posting: posting() },
    [
      'Skyline Miles has not answered in 3 attempts since 2026-03-08 12:00:00 UTC: no reply in time. It may have moved the points or not.',
      'The next attempt is due on 2026-03-08 12:10:00 UTC: the platform asks before it posts again. Without an answer by 2026-03-09 12:00:00 UTC the transaction is in ERROR.',
    ],
  ],
  [
    'that the program accepted',
    { state: 'PENDING', posting: posting({ acceptedAt: startedAt }) },
    [
      'Skyline Miles accepted it on 2026-03-08 12:00:00 UTC, and has not decided yet.',
      'The next attempt is due on 2026-03-08 12:10:00 UTC: the platform asks for the decision. Without one by 2026-03-15 12:00:00 UTC the transaction is in ERROR.',
    ],
  ],
  [
    'that the program confirmed',
    { state: 'COMPLETED', completedAt: startedAt, programReference: 'D-000001', posting: posting() },
    ['Skyline Miles confirmed it on 2026-03-08 12:00:00 UTC at attempt 3. Its reference is D-000001.'],
  ],
  ['that is reversed', { state: 'REVERSED' }, ['Skyline Miles confirmed it.']],
  [
    'that the program rejected',
    { state: 'FAILED', failureReason: 'the account is closed' },
    [
      'Skyline Miles rejected it: the account is closed.',
      'Nothing was earned, and what it used of limits was released.',
    ],
  ],
  [
    'that pays and was rejected',
    { state: 'FAILED', type: 'REDEEM', failureReason: 'too few points' },
    ['Skyline Miles rejected it: too few points.', 'The held points are available again.'],
  ],
  [
    'that reverses and was rejected',
    { state: 'FAILED', reverses },
    ['Skyline Miles rejected it: no reason is known.', 'The member keeps the points.'],
  ],
  [
    'that is in ERROR',
    { state: 'ERROR', id: 9, partnerId: 2, posting: posting({ attempts: 30, problem: 'status 503' }) },
    [
      'Skyline Miles gave no answer in 30 attempts: status 503. Its time is over.',
      'It may have moved the points, so the platform has released nothing.',
      'Once the program answers: npm run admin -- program retry 2 --transaction 9',
    ],
  ],
  [
    'that the program accepted and never decided',
    { state: 'ERROR', posting: posting({ acceptedAt: startedAt }) },
    [
      'Skyline Miles accepted it on 2026-03-08 12:00:00 UTC and never decided. Its time is over.',
      expect.any(String),
      expect.any(String),
    ],
  ],
])('programLines() explains a transaction %s', (_, more, expected) => {
  expect(programLines(aTransaction(more), program)).toEqual(expected);
});

it.each([
  [-200, {}, '200 points that came back settled what the member owed. Skyline Miles has not answered to this yet.'],
  [
    -200,
    { settlementPostedAt: startedAt },
    '200 points that came back settled what the member owed. Skyline Miles received this on 2026-03-08 12:00:00 UTC.',
  ],
  [
    1,
    {},
    '1 point that had settled a debt were returned, because the debt is void. Skyline Miles has not answered to this yet.',
  ],
])('programLines() explains a settlement of %d points', (points, more, expected) => {
  expect(programLines(aTransaction({ state: 'COMPLETED', ...more }), program, points)[1]).toBe(expected);
});
