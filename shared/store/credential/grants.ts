import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import { type Check, ConditionFailedError, defineEntity, isNew, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';
import { type Credential, type CredentialOf, credentialWrite, revokeWrite } from './credentials.ts';

/** A member's consent that an organisation acts for the member. Every token of the family comes from it. */
export const Grant = z.object({
  id: z.string(),
  organisationId: z.int(),
  userId: z.int(),
  isRevoked: z.boolean(),
  createdAt: z.string(),
});
export type Grant = z.infer<typeof Grant>;

const partition = (grantId: string) => `${partitions.grant}${grantId}`;
const grants = defineEntity(Grant, (id: string) => ({ pk: partition(id), sk: 'GRANT' }));
const tokenPrefix = 'TOKEN#';
const tokens = defineEntity(z.object({ digest: z.string() }), (grantId: string, digest: string) => ({
  pk: partition(grantId),
  sk: `${tokenPrefix}${digest}`,
}));

/** The tokens that a grant issues together. */
export interface TokenPair {
  readonly access: CredentialOf<'userToken'>;
  readonly refresh: CredentialOf<'refreshToken'>;
}

/** Grants and their families of tokens. */
export class Grants {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /**
   * Exchanges an authorization code or a refresh token for new tokens. A code or token that is used twice was stolen,
   * so its second use revokes the whole family (RFC 6749, 4.1.2; RFC 9700, 4.14).
   *
   * @returns false when it was used or revoked before
   */
  async exchange(used: CredentialOf<'authorizationCode' | 'refreshToken'>, pair: TokenPair): Promise<boolean> {
    const isAlive: Check = {
      kind: 'check',
      key: grants.key(used.grantId),
      when: [{ attribute: 'isRevoked', is: '=', value: false }],
    };
    try {
      await this.#table.transact([revokeWrite(used.digest), isAlive, ...pairWrites(pair)]);
      return true;
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      await this.revoke(used.grantId);
      return false;
    }
  }

  /** Revokes a grant and every token of its family, for good. Safe to repeat. */
  async revoke(grantId: string): Promise<void> {
    // The grant first: after that no token is added to the family.
    await this.#ifThere({
      kind: 'update',
      key: grants.key(grantId),
      changes: { set: { isRevoked: true } },
      when: [{ attribute: 'pk', is: 'present' }],
    });
    const family = await this.#table.query({ partition: partition(grantId), sortBeginsWith: tokenPrefix });
    await Promise.all(family.map(tokens.parse).map(({ digest }) => this.#ifThere(revokeWrite(digest))));
  }

  /** Revokes one credential. Safe to repeat. */
  async revokeOne({ digest }: Credential): Promise<void> {
    await this.#ifThere(revokeWrite(digest));
  }

  async #ifThere(write: Write): Promise<void> {
    try {
      await this.#table.write(write);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
    }
  }
}

/** The write of a new grant. */
export function grantWrite(grant: Grant): Write {
  return { kind: 'put', item: grants.item(grants.key(grant.id), grant), when: isNew };
}

/** The writes of new tokens and of their entries in the family. */
export function pairWrites({ access, refresh }: TokenPair): Write[] {
  return [access, refresh].flatMap((credential): Write[] => [
    credentialWrite(credential),
    {
      kind: 'put',
      item: tokens.item(tokens.key(credential.grantId, credential.digest), { digest: credential.digest }),
    },
  ]);
}
