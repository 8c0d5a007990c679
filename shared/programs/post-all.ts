import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';
import type { LoyaltyProgram, PostingOutcome } from './program.ts';

/** A transaction with the program that it is posted to. */
export interface Posting {
  readonly transaction: RewardTransaction;
  readonly program: LoyaltyProgram;
}

/** What became of transactions that belong together. */
export type OutcomeOfAll =
  /** Each by its program; the programs' references in the order of the postings. */
  | { readonly kind: 'confirmed'; readonly references: readonly (string | undefined)[] }
  /** One by its program, for the reason; whatever another one confirmed was taken back. */
  | { readonly kind: 'rejected'; readonly rejectedId: number; readonly reason: string }
  /** One of the answers comes later. */
  | { readonly kind: 'accepted' };

/**
 * Posts transactions that stand or fall together, one after the other. Safe to repeat from wherever it
 * ended: posting and taking back are.
 */
export async function postAll(postings: readonly Posting[]): Promise<OutcomeOfAll> {
  const references: (string | undefined)[] = [];
  for (const [position, { transaction, program }] of postings.entries()) {
    const outcome: PostingOutcome = await program.post(transaction);
    if (outcome.kind === 'accepted') return outcome;
    if (outcome.kind === 'rejected') {
      for (const earlier of postings.slice(0, position)) await earlier.program.takeBack(earlier.transaction);
      return { kind: 'rejected', rejectedId: transaction.id, reason: outcome.reason };
    }
    references.push(outcome.reference);
  }
  return { kind: 'confirmed', references };
}
