import { randomBytes } from 'node:crypto';
import type { Account, Entry, Movement } from '../../tools/program-server/books.ts';
import type { Defect, Fault } from '../../tools/program-server/faults.ts';
import { startProgramServer } from '../../tools/program-server/server.ts';

/** The books of the program. `requests` counts the requests to each call of the contract. */
export interface ProgramBooks {
  readonly accounts: Readonly<Record<string, Account>>;
  readonly transactions: Readonly<Record<string, Entry>>;
  readonly movements: readonly Movement[];
  readonly requests: Readonly<Record<string, number>>;
}

/** Calls that control a demonstration program. */
export class ProgramControl {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Opens accounts. Absent fields have defaults. */
  open(...accounts: (Partial<Account> & Pick<Account, 'member_id'>)[]): Promise<unknown> {
    const defaults = {
      proof: '2468',
      first_name: 'Ada',
      last_name: 'Byron',
      email: null,
      status_tier_id: null,
      balance: 0,
    };
    return this.#control('PUT', 'accounts', { accounts: accounts.map((account) => ({ ...defaults, ...account })) });
  }

  order(fault: Fault): Promise<unknown> {
    return this.#control('POST', 'faults', fault);
  }

  clearFaults(): Promise<unknown> {
    return this.#control('DELETE', 'faults');
  }

  /** Makes the program break the contract in these ways, until the next call of this method. */
  break(...defects: Defect[]): Promise<unknown> {
    return this.#control('PUT', 'defects', { defects });
  }

  settings(settings: { readonly secrets?: readonly string[]; readonly report_url?: string }): Promise<unknown> {
    return this.#control('PUT', 'settings', settings);
  }

  /** Makes the program answer an accepted transaction. */
  answer(transaction_uuid: string, status: 'confirmed' | 'rejected', reason?: string): Promise<unknown> {
    return this.#control('POST', 'answers', { transaction_uuid, status, reason });
  }

  /** Moves points at the program itself, without the platform. */
  move(member_id: string, points: number): Promise<unknown> {
    return this.#control('POST', 'movements', { member_id, points });
  }

  /** Makes the program lose a transaction. */
  lose(transaction_uuid: string): Promise<unknown> {
    return this.#control('POST', 'losses', { transaction_uuid });
  }

  async books(): Promise<ProgramBooks> {
    return (await this.#control('GET', 'books')) as ProgramBooks;
  }

  async balanceOf(memberId: string): Promise<number | undefined> {
    return (await this.books()).accounts[memberId]?.balance;
  }

  /** Returns the movements of a transaction. A transaction that was applied once has one. */
  async movementsOf(uuid: string): Promise<number[]> {
    const { movements } = await this.books();
    return movements.filter(({ transaction_uuid }) => transaction_uuid === uuid).map(({ points }) => points);
  }

  async #control(method: string, name: string, body?: unknown): Promise<unknown> {
    const reply = await fetch(`${this.url}/control/${name}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(await reply.text());
    return reply.json();
  }
}

/** A demonstration program in this process. */
export class TestProgram extends ProgramControl {
  readonly secret: string;
  readonly close: () => Promise<void>;

  constructor(url: string, secret: string, close: () => Promise<void>) {
    super(url);
    this.secret = secret;
    this.close = close;
  }
}

/** Returns a new secret in the form in which the platform makes secrets. */
export const aProgramSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** Starts a demonstration program without accounts. */
export async function aProgram(): Promise<TestProgram> {
  const secret = aProgramSecret();
  const { url, close } = await startProgramServer({ secrets: [secret] });
  return new TestProgram(url, secret, close);
}
