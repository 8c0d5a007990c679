import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { cacheAgeMs } from '../contracts/limits.ts';
import { toProvenAccount } from '../domain/connect/program-account.ts';
import { cache, once } from '../domain/memoize.ts';
import { type Organisation, rulesOf } from '../domain/organisation.ts';
import { Members } from '../store/member/members.ts';
import { isPinOf } from '../store/member/program-accounts.ts';
import { Organisations } from '../store/organisation/organisations.ts';
import type { TableClient } from '../store/table/table-client.ts';
import { keyOfSecret } from '../webhooks/standard-webhooks.ts';
import { createProgramPoster, httpProgram } from './http-program.ts';
import type { LoyaltyProgram } from './program.ts';
import { SecretsManager } from './secrets-manager.ts';
import { testProgramOf } from './test-program.ts';

/** The part of a function's deps that programs need. */
interface ProgramsDeps {
  readonly now: () => Date;
  readonly nextUuid: () => string;
  readonly config: {
    readonly stage: string;
    readonly webhookHttpHosts: readonly string[];
    /** Replaces the endpoint of Secrets Manager on a developer's machine. */
    readonly secretsEndpoint: string | undefined;
  };
  /** Reads secrets with the operator's credentials. A function omits it, and reads them with those of its role. */
  readonly secrets?: Pick<ProgramSecrets, 'of'>;
}

/** The secrets that the platform shares with a program, the newest first; two while a secret is replaced. */
const SharedSecrets = z.object({ secrets: z.array(z.string()).check(z.minLength(1)) });

/** The name of a program's secrets in Secrets Manager. */
const secretName = (stage: string, partnerId: number): string => `rewards-${stage}/program/${partnerId}`;

/** Reads and writes the secrets that the platform shares with programs. */
export class ProgramSecrets {
  readonly #manager: Pick<SecretsManager, 'read' | 'write'>;
  readonly #stage: string;

  constructor(manager: Pick<SecretsManager, 'read' | 'write'>, stage: string) {
    this.#manager = manager;
    this.#stage = stage;
  }

  /** The secrets of a program, the newest first; an empty list when the program has none. */
  async of(partnerId: number): Promise<readonly string[]> {
    const text = await this.#manager.read(secretName(this.#stage, partnerId));
    return text === undefined ? [] : SharedSecrets.parse(JSON.parse(text)).secrets;
  }

  async write(partnerId: number, secrets: readonly string[]): Promise<void> {
    await this.#manager.write(secretName(this.#stage, partnerId), JSON.stringify({ secrets }));
  }
}

/** The loyalty programs of partners. Clients are made when the first program needs them. */
export class Programs {
  readonly #organisations: Organisations;
  readonly #members: Members;
  readonly #deps: ProgramsDeps;
  readonly #keys: (partnerId: number) => Promise<readonly Buffer[]>;
  readonly #poster = once(() => createProgramPoster({ httpHosts: this.#deps.config.webhookHttpHosts }, this.#deps.now));
  readonly #secrets = once(() => this.#deps.secrets ?? openProgramSecrets(this.#deps));

  constructor(table: TableClient, deps: ProgramsDeps) {
    this.#organisations = new Organisations(table);
    this.#members = new Members(table);
    this.#deps = deps;
    this.#keys = cache((partnerId) => this.#readKeys(partnerId), {
      maximumAgeMs: cacheAgeMs.programSecrets,
      now: deps.now,
    });
  }

  /**
   * Finds the loyalty program of a partner.
   *
   * @param userId the member that the program is asked about. Test identities have a program of their own, except on
   *   production
   * @throws Error when there is no such organisation, or it has no program
   */
  async find(partnerId: number, userId?: number): Promise<LoyaltyProgram> {
    const [partner, testProgram] = await Promise.all([
      this.#organisations.find(partnerId),
      userId === undefined ? undefined : this.#findTestProgram(userId, partnerId),
    ]);
    return testProgram ?? this.of(partnerId, partner);
  }

  async #findTestProgram(userId: number, partnerId: number): Promise<LoyaltyProgram | undefined> {
    const { stage } = this.#deps.config;
    if (stage === 'production') return undefined;
    const membership = await this.#members.findMembership(userId, partnerId);
    return membership && testProgramOf(membership.externalId, stage);
  }

  /**
   * Returns the loyalty program of a partner. The caller has loaded the partner.
   *
   * @throws Error when there is no such organisation, or it has no program
   */
  of(partnerId: number, partner: Organisation | undefined): LoyaltyProgram {
    return { ...this.#adapterOf(partnerId, partner), velocityRules: partner && rulesOf(partner) };
  }

  #adapterOf(partnerId: number, partner: Organisation | undefined): LoyaltyProgram {
    switch (partner?.program?.kind) {
      case 'hosted':
        return hostedProgram;
      case 'http':
        return httpProgram(
          {
            partnerId,
            baseUrl: partner.program.baseUrl,
            keys: () => this.keysOf(partnerId),
            memberIdOf: (userId) => this.#memberIdOf(userId, partnerId),
          },
          { ...this.#deps, poster: this.#poster() },
        );
      default:
        throw new Error(`organisation ${partnerId} has no loyalty program`);
    }
  }

  /**
   * The keys of the secrets that the platform shares with a program, cached for one minute.
   *
   * @throws Error when there are none
   */
  keysOf(partnerId: number): Promise<readonly Buffer[]> {
    return this.#keys(partnerId);
  }

  async #readKeys(partnerId: number): Promise<readonly Buffer[]> {
    const secrets = await this.#secrets().of(partnerId);
    if (secrets.length === 0) throw new Error(`there is no secret of the program of organisation ${partnerId}`);
    return secrets.map(keyOfSecret);
  }

  async #memberIdOf(userId: number, partnerId: number): Promise<string> {
    const membership = await this.#members.findMembership(userId, partnerId);
    if (!membership) throw new Error(`user ${userId} has no account with the program of organisation ${partnerId}`);
    return membership.externalId;
  }
}

/**
 * Sends a test request to a program: it asks for the balance of an account that does not exist.
 *
 * @returns `unknown` with the cause when the reply is not as the contract says
 */
export function probeProgram(
  { partnerId, baseUrl, secret }: { readonly partnerId: number; readonly baseUrl: string; readonly secret: string },
  deps: Pick<ProgramsDeps, 'now' | 'nextUuid' | 'config'>,
): Promise<Awaited<ReturnType<LoyaltyProgram['balance']>>> {
  const poster = createProgramPoster({ httpHosts: deps.config.webhookHttpHosts }, deps.now);
  const memberIdOf = async () => '';
  const program = { partnerId, baseUrl, keys: async () => [keyOfSecret(secret)], memberIdOf };
  return httpProgram(program, { ...deps, poster }).balance(`probe-${deps.nextUuid()}`);
}

/**
 * The secrets of programs. They are read with the credentials that every client has: those of the function's role, or
 * of the operator.
 */
export const openProgramSecrets = ({ now, config: { stage, secretsEndpoint } }: ProgramsDeps): ProgramSecrets =>
  new ProgramSecrets(new SecretsManager(new DynamoDBClient({}).config, secretsEndpoint, now), stage);

/**
 * A program whose system of record is the platform itself. It verifies accounts by their PIN, and confirms each
 * transaction immediately, because the ledger entry is the posting.
 */
const hostedProgram: LoyaltyProgram = {
  isHosted: true,
  verify: async ({ proof }, account) => {
    if (!(await isPinOf(account, proof)) || !account || account.closedAt !== undefined) return undefined;
    return toProvenAccount(account);
  },
  post: async () => ({ kind: 'confirmed' }),
  query: async () => ({ kind: 'not_found' }),
  settle: async () => ({ kind: 'confirmed' }),
  // Nothing to undo: the ledger gets its entries only after every transaction of the group is confirmed.
  takeBack: async () => ({ kind: 'done' }),
  balance: async () => ({ kind: 'not_found' }),
};
