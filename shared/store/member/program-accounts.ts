import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import { defineEntity, isNew, Repository, type Write } from '../table/table-client.ts';

/** An account of a hosted program, linked to a user or not. */
const ProgramAccount = z.object({
  partnerId: z.int(),
  memberId: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  /** Verified by the program. */
  email: z.nullable(z.string()),
  statusTierId: z.nullable(z.int()),
  /** The balance before the account is linked. After the link, the membership contains the balance. */
  openingPoints: z.int(),
  pinSalt: z.string(),
  /** scrypt of the PIN, hex: a PIN is short, so guessing it must be slow. */
  pinHash: z.string(),
});
export type ProgramAccount = z.infer<typeof ProgramAccount>;

const hashBytes = 32;
const derive = promisify(scrypt) as (secret: string, salt: string, length: number) => Promise<Buffer>;

const accounts = defineEntity(ProgramAccount, (partnerId: number, memberId: string) => ({
  pk: `${partitions.programAccount}${partnerId}#${memberId}`,
  sk: 'PROGRAM_ACCOUNT',
}));

/** The accounts of hosted programs. */
export class ProgramAccounts extends Repository {
  async find(partnerId: number, memberId: string): Promise<ProgramAccount | undefined> {
    const item = await this.table.get(accounts.key(partnerId, memberId));
    return item && accounts.parse(item);
  }
}

/**
 * Whether a PIN is the PIN of the account. Hashes even without an account, so the duration does not show whether the
 * account exists.
 */
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
