import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A person in a user pool. */
export interface User {
  /** The person's id in the pool. The same address has the same id at every start, until the user is deleted. */
  readonly subject: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  /** Who the person is in the demonstration, such as `owner of Corner Coffee`. */
  readonly part?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

export type NewUser = Pick<User, 'email' | 'name' | 'part'>;

/** The user of an address, and how many users with this address were deleted before. */
interface Entry {
  readonly user: User | undefined;
  readonly deleted: number;
}

/** The users of a pool: in memory, and in a file if there is one. */
export class Users {
  readonly #file: string | undefined;
  readonly #entries: Map<string, Entry>;

  constructor(file?: string) {
    this.#file = file;
    this.#entries = new Map(file === undefined ? [] : readEntries(file));
  }

  /** Adds a user, or changes the user with this address. */
  add(poolId: string, { email, name, part }: NewUser, nowMs: number): User {
    const address = email.trim().toLowerCase();
    const { user: earlier, deleted = 0 } = this.#entries.get(address) ?? {};
    const subject = subjectOf(poolId, address, deleted);
    const user = { subject, email: address, name, part, createdMs: earlier?.createdMs ?? nowMs };
    this.#set(address, { user, deleted });
    return user;
  }

  /** Finds a user by the address or the subject. */
  find(id: string): User | undefined {
    return this.#entries.get(id.trim().toLowerCase())?.user ?? this.list().find(({ subject }) => subject === id);
  }

  /** Deletes a user. Whoever signs up with the address afterwards has another subject, as at Cognito. */
  delete({ email }: User): void {
    this.#set(email, { user: undefined, deleted: (this.#entries.get(email)?.deleted ?? 0) + 1 });
  }

  list(): User[] {
    return [...this.#entries.values()].flatMap(({ user }) => user ?? []);
  }

  #set(address: string, entry: Entry): void {
    this.#entries.set(address, entry);
    if (this.#file === undefined) return;
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify([...this.#entries]));
  }
}

function readEntries(file: string): [string, Entry][] {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** A UUID that depends on the pool, the address and the number of earlier users with the address. */
function subjectOf(poolId: string, email: string, deleted: number): string {
  const digest = createHash('sha256')
    .update([poolId, email, ...(deleted === 0 ? [] : [deleted])].join('/'))
    .digest('hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}
