import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A person in a user pool. */
export interface User {
  /** The person's id in the pool. The same address has the same id at every start. */
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

/** The users of a pool: in memory, and in a file if there is one. */
export class Users {
  readonly #file: string | undefined;
  readonly #users: Map<string, User>;

  constructor(file?: string) {
    this.#file = file;
    this.#users = new Map(file === undefined ? [] : readUsers(file).map((user) => [user.email, user]));
  }

  /** Adds a user, or changes the user with this address. */
  add(poolId: string, { email, name, part }: NewUser, nowMs: number): User {
    const address = email.trim().toLowerCase();
    const subject = subjectOf(poolId, address);
    const { createdMs = nowMs } = this.#users.get(address) ?? {};
    const user = { subject, email: address, name, part, createdMs };
    this.#users.set(address, user);
    this.#save();
    return user;
  }

  /** Finds a user by the address or the subject. */
  find(id: string): User | undefined {
    return this.#users.get(id.trim().toLowerCase()) ?? this.list().find(({ subject }) => subject === id);
  }

  delete({ email }: User): void {
    this.#users.delete(email);
    this.#save();
  }

  list(): User[] {
    return [...this.#users.values()];
  }

  #save(): void {
    if (this.#file === undefined) return;
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify(this.list()));
  }
}

function readUsers(file: string): User[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** A UUID that depends on pool and address only. */
function subjectOf(poolId: string, email: string): string {
  const digest = createHash('sha256').update(`${poolId}/${email}`).digest('hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}
