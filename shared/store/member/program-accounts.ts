import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import type { ProvenAccount } from '../../domain/connect/decide-link.ts';
import { ProgramAccount } from '../../domain/connect/program-account.ts';
import type { Membership } from '../../domain/member/member.ts';
import { type Check, defineEntity, exists, isNew, isStill, Repository, type Write } from '../table/table-client.ts';

const hashBytes = 32;
const derive = promisify(scrypt) as (secret: string, salt: string, length: number) => Promise<Buffer>;

const accounts = defineEntity(ProgramAccount, (partnerId: number, memberId: string) => ({
  pk: `${partitions.programAccount}${partnerId}#${memberId}`,
  sk: 'PROGRAM_ACCOUNT',
}));

/** The key of an account, by its program and its number there. */
export const programAccountKey = accounts.key;

/** The list of a program's accounts, sorted by account number. */
const listPartition = (partnerId: number) => `${partitions.programAccount}OF#${partnerId}`;
const listPrefix = 'ACCOUNT#';
const Listed = z.object({ partnerId: z.int(), memberId: z.string() });
const listed = defineEntity(Listed, (partnerId: number, memberId: string) => ({
  pk: listPartition(partnerId),
  sk: listPrefix + memberId,
}));

/** A part of the list of a program's accounts. */
export interface AccountRange {
  readonly limit: number;
  /** The account number after which the part begins. */
  readonly after?: string | undefined;
}

/** The accounts of hosted programs. */
export class ProgramAccounts extends Repository {
  async find(partnerId: number, memberId: string): Promise<ProgramAccount | undefined> {
    const item = await this.table.get(accounts.key(partnerId, memberId));
    return item && accounts.parse(item);
  }

  /** Returns the account numbers in `memberIds` under which the program has an account. */
  async findMany(partnerId: number, memberIds: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.table.getAll([...new Set(memberIds)].map((memberId) => accounts.key(partnerId, memberId)));
    return new Set(found.map(accounts.parse).map(({ memberId }) => memberId));
  }

  /** The accounts of a program, sorted by account number. */
  async listOf(partnerId: number, { limit, after }: AccountRange): Promise<ProgramAccount[]> {
    const items = await this.table.query({
      partition: listPartition(partnerId),
      sortBeginsWith: listPrefix,
      limit,
      ...(after !== undefined && { after: listed.key(partnerId, after) }),
    });
    const found = await this.table.getAll(items.map((item) => accounts.key(partnerId, listed.parse(item).memberId)));
    // Returns the accounts in the sequence of the list, which sorts by UTF-8 bytes.
    const byNumber = new Map(found.map(accounts.parse).map((account) => [account.memberId, account]));
    return items.map((item) => byNumber.get(listed.parse(item).memberId)).filter((one) => one !== undefined);
  }
}

/**
 * Whether a PIN is the PIN of the account. Hashes even without an account or PIN, so the duration does not show whether
 * the account exists.
 */
export async function isPinOf(account: ProgramAccount | undefined, pin: string): Promise<boolean> {
  const expected = Buffer.from(account?.pinHash ?? '00'.repeat(hashBytes), 'hex');
  const actual = await derive(pin, account?.pinSalt ?? 'no account', hashBytes);
  return timingSafeEqual(actual, expected) && account?.pinHash !== undefined;
}

/** The stored salt and hash of a PIN. */
export async function hashPin(pin: string, salt: string): Promise<Pick<ProgramAccount, 'pinSalt' | 'pinHash'>> {
  return { pinSalt: salt, pinHash: (await derive(pin, salt, hashBytes)).toString('hex') };
}

/** The writes of a new account. */
export function programAccountWrites(account: ProgramAccount): Write[] {
  const { partnerId, memberId } = account;
  return [
    { kind: 'put', item: accounts.item(accounts.key(partnerId, memberId), account), when: isNew },
    listWrite(account),
  ];
}

/** Accounts that are older than the list enter it with their next change. */
const listWrite = ({ partnerId, memberId }: ProgramAccount): Write => ({
  kind: 'put',
  item: listed.item(listed.key(partnerId, memberId), { partnerId, memberId }),
});

/**
 * The writes of an operator's change, on the condition that the account was neither changed nor linked since it was
 * read.
 */
export function accountChangeWrites(account: ProgramAccount, set: Partial<ProgramAccount>): Write[] {
  const { partnerId, memberId, revision = 0 } = account;
  return [
    {
      kind: 'update',
      key: accounts.key(partnerId, memberId),
      changes: { set: { ...set, revision: revision + 1 } },
      when: [...exists, isStill('revision', account.revision), isStill('links', account.links)],
    },
    listWrite(account),
  ];
}

/**
 * The write that counts one more link of an account, on the condition that the account is not closed and has not
 * changed since it was proved.
 *
 * @param bookedAt the time at which the link puts the opening balance into the ledger; undefined if an earlier link did
 *   so
 * @returns undefined for the account of a partner's own program, which the platform does not store
 */
export function linkedAccountWrite(
  { partnerId, externalId, revision }: ProvenAccount,
  bookedAt: string | undefined,
): Write | undefined {
  if (revision === undefined) return undefined;
  return {
    kind: 'update',
    key: accounts.key(partnerId, externalId),
    changes: { add: { links: 1 }, ...(bookedAt !== undefined && { set: { bookedAt } }) },
    when: [
      ...exists,
      { attribute: 'closedAt', is: 'absent' },
      isStill('revision', revision === 0 ? undefined : revision),
    ],
  };
}

/** The check that an account is not closed. An account that the platform does not store passes. */
export const openAccountCheck = ({ partnerId, externalId }: Pick<Membership, 'partnerId' | 'externalId'>): Check => ({
  kind: 'check',
  key: accounts.key(partnerId, externalId),
  when: [{ attribute: 'closedAt', is: 'absent' }],
});

/** The check that a program has no stored account with this number. */
export const noAccountCheck = (partnerId: number, memberId: string): Check => ({
  kind: 'check',
  key: accounts.key(partnerId, memberId),
  when: isNew,
});
