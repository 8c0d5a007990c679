import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import type { LoyaltyProgram, PostingOutcome } from '../../shared/programs/program.ts';

/** Loyalty programs as partners run them: each answers as it is told to, and remembers what it holds. */
export class Programs {
  /** What each partner's program answers; what is not here is confirmed. */
  readonly answers = new Map<number, PostingOutcome | 'breaks'>();
  /** By partner: the transactions that its program has, by their UUIDs. */
  readonly #books = new Map<number, Set<string>>();

  readonly programFor = async (partnerId: number): Promise<LoyaltyProgram> => ({
    verify: async () => undefined,
    post: async (transaction) => this.#post(partnerId, transaction),
    takeBack: async ({ uuid }) => void this.#of(partnerId).delete(uuid),
  });

  /** The UUIDs that a partner's program has. */
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
