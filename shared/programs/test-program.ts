import { forcedAnswer } from '../domain/award/test-identities.ts';
import type { LoyaltyProgram, PostingOutcome } from './program.ts';

const rejected: PostingOutcome = { kind: 'rejected', reason: 'test identity: its program rejects everything' };
const confirmed: PostingOutcome = { kind: 'confirmed' };

/**
 * The program that answers for the account of a test identity, in place of the partner's program. Its answers take the
 * same path as those of a partner's own program.
 *
 * @returns undefined for every other account, and on production
 */
export function testProgramOf(accountNumber: string, stage: string): LoyaltyProgram | undefined {
  const answer = forcedAnswer(accountNumber, stage);
  if (answer === undefined) return undefined;
  const isSlow = answer === 'slow';
  return {
    isHosted: false,
    verify: async () => undefined,
    post: async () => (isSlow ? { kind: 'accepted' } : rejected),
    query: async () => (isSlow ? confirmed : rejected),
    settle: async () => confirmed,
    takeBack: async () => ({ kind: 'done' }),
    // The partner's program does not know the account, so there is no balance to compare with.
    balance: async () => ({ kind: 'not_found' }),
  };
}
