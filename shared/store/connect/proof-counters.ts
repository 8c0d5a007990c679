import { lockMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { claimProof, ProofCounter, type ProofSubject } from '../../domain/connect/proof-counter.ts';
import {
  type Condition,
  ConditionFailedError,
  defineEntity,
  isNew,
  Repository,
  type Write,
} from '../table/table-client.ts';

const counters = defineEntity(ProofCounter, (subject: ProofSubject) => ({
  pk: `${partitions.proof}${nameOf(subject)}`,
  sk: 'PROOF_COUNTER',
}));

function nameOf(subject: ProofSubject): string {
  switch (subject.kind) {
    case 'account':
      return `ACCOUNT#${subject.partnerId}#${subject.memberId}`;
    case 'customer':
      return `CUSTOMER#${subject.organisationId}#${subject.externalId}`;
    case 'organisation':
      return `ORGANISATION#${subject.organisationId}`;
    case 'address':
      return `ADDRESS#${subject.address}`;
    case 'sharedAddress':
      return `SHARED_ADDRESS#${subject.address}`;
  }
}

/** A counted or refused attempt of one subject. */
export interface ProofAttempt {
  readonly subject: ProofSubject;
  readonly isAllowed: boolean;
  /** The end of the window in which the attempt is counted; for a refused attempt, the end of the lock. */
  readonly until: string;
}

/** Counters of wrong proofs. */
export class ProofCounters extends Repository {
  async find(subject: ProofSubject): Promise<ProofCounter | undefined> {
    const item = await this.table.get(counters.key(subject));
    return item && counters.parse(item);
  }

  /**
   * Counts an attempt before its proof is checked, so that parallel guesses cannot exceed the maximum.
   *
   * @param counter the counter as it was read
   * @param limit the time, and the attempts after which the subject is locked
   */
  async claim(
    subject: ProofSubject,
    counter: ProofCounter | undefined,
    limit: { readonly now: Date; readonly maximum: number },
  ): Promise<ProofAttempt> {
    const claim = claimProof(subject, counter, limit);
    const { until } = claim.counter;
    if (claim.kind === 'refuse') return { subject, isAllowed: false, until };
    const write =
      claim.kind === 'count'
        ? additionWrite({ subject, until }, { attribute: 'attempts', is: '<', value: limit.maximum }, 1)
        : replacementWrite(subject, claim.counter, counter);
    const outcome = await this.#write(write);
    if (outcome.isWritten) return { subject, isAllowed: claim.kind !== 'lock', until };
    // Another request opened the window, locked the subject or took the last attempt. Only these three changes make
    // this call start again.
    return this.claim(subject, outcome.found, limit);
  }

  /** Subtracts an attempt whose proof was right or was not checked. */
  async giveBack(attempt: ProofAttempt): Promise<void> {
    await this.#write(additionWrite(attempt, { attribute: 'attempts', is: '>', value: 0 }, -1));
  }

  /** Deletes the counter of a subject. The next wrong proof counts as the first. */
  async reset(subject: ProofSubject): Promise<void> {
    await this.table.write({ kind: 'delete', key: counters.key(subject) });
  }

  async #write(write: Write): Promise<{ isWritten: true } | { isWritten: false; found: ProofCounter | undefined }> {
    try {
      await this.table.write(write);
      return { isWritten: true };
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      const found = error.found.get(0);
      return { isWritten: false, found: found ? counters.parse(found) : undefined };
    }
  }
}

function additionWrite(
  { subject, until }: Pick<ProofAttempt, 'subject' | 'until'>,
  room: Condition,
  attempts: 1 | -1,
): Write {
  return {
    kind: 'update',
    key: counters.key(subject),
    changes: { add: { attempts } },
    when: [{ attribute: 'until', is: '=', value: until }, { attribute: 'isLocked', is: '=', value: false }, room],
    // A repetition changes the count by one more. Then a lock comes one attempt earlier or later.
    repetition: 'harmless',
  };
}

function replacementWrite(subject: ProofSubject, counter: ProofCounter, known: ProofCounter | undefined): Write {
  const ttl = toSeconds(Date.parse(counter.until) + lockMs.longestProof);
  const item = counters.item(counters.key(subject), counter, { [ttlAttribute]: ttl });
  return { kind: 'put', item, when: known ? [{ attribute: 'until', is: '=', value: known.until }] : isNew };
}
