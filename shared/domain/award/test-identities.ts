import type { Member } from '../member/member.ts';
import type { RefusalReason } from './refusal.ts';

/**
 * Customers of a merchant who each force one outcome, so that the merchant's engineers can try all outcomes. They exist
 * on every stage except production, where these ids and account numbers have no special effect.
 */

/** One test identity. */
interface TestIdentity {
  /** The merchant's id for the customer. */
  readonly externalId: string;
  /** The forced outcome, in words. */
  readonly outcome: string;
  /** The points of the customer's account; null without an account. */
  readonly points: number | null;
  /** The reason with which endpoint 1 refuses each purchase of the customer. */
  readonly refusal?: RefusalReason;
  /** How the program answers to each transaction of the customer. */
  readonly answer?: TestAnswer;
}

/**
 * `rejected`: the program never moves points. `slow`: the program accepts at once, and confirms as soon as the platform
 * asks.
 */
export type TestAnswer = 'rejected' | 'slow';

/** Few enough points that one operator may create the accounts without a second person. */
const balance = 5_000;

export const testIdentities: readonly TestIdentity[] = [
  {
    externalId: 'test-status-2',
    outcome: 'authentication_status 2, too few points',
    points: 0,
    refusal: 'insufficient_points',
  },
  {
    externalId: 'test-status-3',
    outcome: 'authentication_status 3, no account',
    points: null,
    refusal: 'user_not_linked',
  },
  {
    externalId: 'test-status-4',
    outcome: 'authentication_status 4, a condition does not hold',
    points: balance,
    refusal: 'not_qualified',
  },
  { externalId: 'test-failed', outcome: 'transaction FAILED', points: balance, answer: 'rejected' },
  { externalId: 'test-slow', outcome: 'transaction PENDING for a minute or two', points: balance, answer: 'slow' },
];

/**
 * The number of a test identity's account. It contains the id of the merchant, because account numbers are unique in a
 * program.
 */
export const testAccountNumber = (externalId: string, merchantId: number) =>
  `${externalId.toUpperCase()}-${merchantId}`;

/** The reason with which endpoint 1 refuses a member because it is a test identity of the merchant. */
export function forcedRefusal(
  { associations }: Pick<Member, 'associations'>,
  { merchantId, stage }: { readonly merchantId: number; readonly stage: string },
): RefusalReason | undefined {
  if (stage === 'production') return undefined;
  const own = associations.find((association) => association.merchantId === merchantId);
  return testIdentities.find(({ externalId }) => externalId === own?.externalId)?.refusal;
}

/** The forced answer to the transactions of an account; undefined if the account belongs to no test identity. */
export function forcedAnswer(accountNumber: string, stage: string): TestAnswer | undefined {
  if (stage === 'production') return undefined;
  const name = /^(.+)-\d+$/.exec(accountNumber)?.[1]?.toLowerCase();
  return testIdentities.find(({ externalId }) => externalId === name)?.answer;
}
