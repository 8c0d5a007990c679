import { beforeEach, describe, expect, it } from 'vitest';
import { clearFailedStacks, type DeployedStack, type Stacks } from '../../../tools/deploy/failed-stacks.ts';

/** The stacks of an account, with the changes that were made to them. */
class Account implements Stacks {
  readonly changes: string[] = [];
  readonly #stacks: ReadonlyMap<string, DeployedStack>;
  readonly #tables: Readonly<Record<string, number>>;

  constructor(stacks: readonly DeployedStack[], tables: Readonly<Record<string, number>> = {}) {
    this.#stacks = new Map(stacks.map((stack) => [stack.name, stack]));
    this.#tables = tables;
  }

  find = async (name: string) => this.#stacks.get(name);
  tablesOf = async (name: string) => (name === 'data' ? Object.keys(this.#tables) : []);
  isEmpty = async (table: string) => this.#tables[table] === 0;
  unprotect = async (name: string) => void this.changes.push(`stack ${name}`);
  unprotectTable = async (name: string) => void this.changes.push(`table ${name}`);
}

const names = ['data', 'consumers'];
const stack = (name: string, status: string, isProtected = true): DeployedStack => ({ name, status, isProtected });

describe('clearFailedStacks()', () => {
  let account: Account;
  beforeEach(() => {
    account = new Account([stack('data', 'ROLLBACK_FAILED'), stack('consumers', 'CREATE_COMPLETE')], { own: 0 });
  });

  it('removes the protection from a failed new stack, and from its empty table', async () => {
    expect(await clearFailedStacks(names, account)).toEqual(['data']);
    expect(account.changes).toEqual(['table own', 'stack data']);
  });

  it('changes nothing when the table of the failed stack has items', async () => {
    account = new Account([stack('data', 'ROLLBACK_FAILED')], { other: 0, own: 1 });
    await expect(clearFailedStacks(names, account)).rejects.toThrow(/table own has items/);
    expect(account.changes).toEqual([]);
  });

  it.each(['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE', 'UPDATE_ROLLBACK_FAILED'])(
    'keeps the protection of a stack in the state %s',
    async (status) => {
      account = new Account([stack('data', status)], { own: 0 });
      expect(await clearFailedStacks(names, account)).toEqual([]);
      expect(account.changes).toEqual([]);
    },
  );

  it('changes nothing when a stack does not exist or has no protection', async () => {
    account = new Account([stack('consumers', 'ROLLBACK_COMPLETE', false)]);
    expect(await clearFailedStacks(names, account)).toEqual(['consumers']);
    expect(account.changes).toEqual([]);
  });
});
