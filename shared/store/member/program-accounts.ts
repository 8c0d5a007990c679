import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { lockMs, maximumAttempts } from '../../contracts/limits.ts';
import { partitions } from '../../contracts/table.ts';
import type { TableClient } from '../table/table-client.ts';
import {
  type Changes,
  type Condition,
  ConditionFailedError,
  defineEntity,
  exists,
  isNew,
  type Write,
} from '../table/table-client.ts';

/** An account of a hosted program, linked to a user or not. */
const ProgramAccount = z.object({
  partnerId: z.int(),
  memberId: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  /** Verified by the program. */
  email: z.nullable(z.string()),
  statusTierId: z.nullable(z.int()),
  /** The balance before the account is linked. After that the membership contains it. */
  openingPoints: z.int().check(z.gte(0)),
  pinSalt: z.string(),
  /** scrypt of the PIN, hex: a PIN is short, so guessing it must be slow. */
  pinHash: z.string(),
  /** Attempts since the last right PIN. */
  attempts: z.int(),
  lockedUntil: z.nullable(z.string()),
});
export type ProgramAccount = z.infer<typeof ProgramAccount>;

const hashBytes = 32;
const derive = promisify(scrypt) as (secret: string, salt: string, length: number) => Promise<Buffer>;

const accounts = defineEntity(ProgramAccount, (partnerId: number, memberId: string) => ({
  pk: `${partitions.programAccount}${partnerId}#${memberId}`,
  sk: 'PROGRAM_ACCOUNT',
}));

/** The accounts of hosted programs. */
export class ProgramAccounts {
  readonly #table: TableClient;
  readonly #now: () => Date;

  constructor(table: TableClient, { now }: { readonly now: () => Date }) {
    this.#table = table;
    this.#now = now;
  }

  async find(partnerId: number, memberId: string): Promise<ProgramAccount | undefined> {
    const item = await this.#table.get(accounts.key(partnerId, memberId));
    return item && accounts.parse(item);
  }

  /**
   * Counts an attempt to prove an account, before the PIN is checked. So parallel guesses cannot exceed five.
   * Five wrong PINs lock the account for a quarter of an hour.
   *
   * @returns false while the account is locked
   */
  async claimAttempt(account: ProgramAccount): Promise<boolean> {
    const now = this.#now().getTime();
    if (account.attempts < maximumAttempts.programAccountProof) {
      return this.#write(account, { add: { attempts: 1 } }, [
        { attribute: 'attempts', is: '<', value: maximumAttempts.programAccountProof },
      ]);
    }
    if (account.lockedUntil === null) {
      const lockedUntil = new Date(now + lockMs.programAccount).toISOString();
      await this.#write(account, { set: { lockedUntil } }, [
        { attribute: 'attempts', is: '>=', value: maximumAttempts.programAccountProof },
      ]);
      return false;
    }
    if (now < Date.parse(account.lockedUntil)) return false;
    return this.#write(account, { set: { attempts: 1, lockedUntil: null } }, [
      { attribute: 'lockedUntil', is: '=', value: account.lockedUntil },
    ]);
  }

  /** Ends the count of wrong PINs, after a right one. */
  async resetAttempts(account: ProgramAccount): Promise<void> {
    await this.#write(account, { set: { attempts: 0, lockedUntil: null } }, exists);
  }

  /** @returns whether the conditions held */
  async #write(
    { partnerId, memberId }: ProgramAccount,
    changes: Changes,
    when: readonly Condition[],
  ): Promise<boolean> {
    try {
      await this.#table.write({ kind: 'update', key: accounts.key(partnerId, memberId), changes, when });
      return true;
    } catch (error) {
      if (error instanceof ConditionFailedError) return false;
      throw error;
    }
  }
}

/** Whether a PIN is the account's. Hashes even without an account, so the time does not show whether one exists. */
export async function isPinOf(account: ProgramAccount | undefined, pin: string): Promise<boolean> {
  const expected = Buffer.from(account?.pinHash ?? '00'.repeat(hashBytes), 'hex');
  const actual = await derive(pin, account?.pinSalt ?? 'no account', hashBytes);
  return timingSafeEqual(actual, expected);
}

/** The stored salt and hash of a PIN. */
export async function hashPin(pin: string, salt: string): Promise<Pick<ProgramAccount, 'pinSalt' | 'pinHash'>> {
  return { pinSalt: salt, pinHash: (await derive(pin, salt, hashBytes)).toString('hex') };
}

/** The write of a new account. */
export function programAccountWrite(account: ProgramAccount): Write {
  return { kind: 'put', item: accounts.item(accounts.key(account.partnerId, account.memberId), account), when: isNew };
}
