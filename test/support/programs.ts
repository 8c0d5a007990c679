import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import type { LoyaltyProgram, PostingOutcome } from '../../shared/programs/program.ts';

/** Fake loyalty programs of partners. A test sets their answers. */
export class Programs {
  /** The answer of each partner's program. Default: confirmed. */
  readonly answers = new Map<number, PostingOutcome | 'breaks'>();
  /** The transactions of each partner's program, by UUID. */
  readonly #books = new Map<number, Set<string>>();

  readonly find = async (partnerId: number): Promise<LoyaltyProgram> => ({
    isHosted: true,
    verify: async () => undefined,
    post: async (transaction) => this.#post(partnerId, transaction),
    query: async () => ({ kind: 'not_found' }),
    takeBack: async ({ uuid }) => {
      this.#of(partnerId).delete(uuid);
      return { kind: 'done' };
    },
    settle: async () => ({ kind: 'confirmed' }),
    balance: async () => ({ kind: 'not_found' }),
  });

  /** Returns the UUIDs of the transactions that a partner's program received. */
  has(partnerId: number): string[] {
    return [...this.#of(partnerId)];
  }

  #of(partnerId: number): Set<string> {
    const books = this.#books.get(partnerId) ?? new Set<string>();
    this.#books.set(partnerId, books);
    return books;
  }

  #post(partnerId: number, { uuid }: RewardTransaction): PostingOutcome {
    const answer = this.answers.get(partnerId) ?? { kind: 'confirmed', reference: `ref-${partnerId}` };
    if (answer === 'breaks') throw new Error('the program does not answer');
    if (answer.kind !== 'rejected') this.#of(partnerId).add(uuid);
    return answer;
  }
}
