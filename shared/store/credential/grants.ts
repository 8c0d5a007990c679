import * as z from 'zod/mini';
import { outboxWrite } from '../outbox/outbox.ts';
import {
  ConditionFailedError,
  defineEntity,
  type Item,
  isNew,
  Repository,
  type Write,
  type WriteContext,
} from '../table/table-client.ts';
import {
  Credential,
  type CredentialOf,
  credentialsOfDigests,
  credentialWrite,
  expiryAttributes,
  type Grant,
  grantPartition,
  grants,
  revokeWrite,
} from './credentials.ts';

// Grants, and the families of tokens that come from them.

const tokenPrefix = 'TOKEN#';
const tokens = defineEntity(z.object({ digest: z.string() }), (grantId: string, digest: string) => ({
  pk: grantPartition(grantId),
  sk: `${tokenPrefix}${digest}`,
}));

/** The list of the grants of one user to one organisation. It also contains revoked and expired grants. */
const listPartition = (userId: number, organisationId: number) => `${grantPartition('OF')}#${userId}#${organisationId}`;
const listed = defineEntity(z.object({ grantId: z.string() }), (partition: string, grantId: string) => ({
  pk: partition,
  sk: grantId,
}));

/** The tokens that a grant issues together. */
export interface TokenPair {
  readonly access: CredentialOf<'userToken'>;
  readonly refresh: CredentialOf<'refreshToken'>;
}

/** The exchange of a refresh token for new tokens. */
export interface Exchange {
  readonly used: CredentialOf<'refreshToken'>;
  readonly pair: TokenPair;
  /** The new tokens, sealed. A repeated request of the same client receives them. */
  readonly answer: CredentialOf<'refreshToken'>['answer'];
  readonly replyWrites?: readonly Write[] | undefined;
}

/** Grants and their families of tokens. */
export class Grants extends Repository {
  async find(grantId: string): Promise<Grant | undefined> {
    const item = await this.table.get(grants.key(grantId));
    return item && grants.parse(item);
  }

  /** The grants of a user to an organisation, except revoked ones. */
  async activeOf(userId: number, organisationId: number): Promise<Grant[]> {
    const items = await this.table.query({ partition: listPartition(userId, organisationId) });
    const found = await this.table.getAll(items.map((item) => grants.key(listed.parse(item).grantId)));
    return found.map(grants.parse).filter(({ isRevoked }) => !isRevoked);
  }

  /**
   * Exchanges a refresh token for new tokens.
   *
   * @returns the stored token, if it was used or revoked before; otherwise undefined
   */
  async exchange(exchange: Exchange): Promise<CredentialOf<'refreshToken'> | undefined> {
    const { used, pair, answer, replyWrites = [] } = exchange;
    const refreshableUntil = pair.refresh.expiresAt ?? '';
    const prolong: Write = {
      kind: 'update',
      key: grants.key(used.grantId),
      changes: { set: { refreshableUntil, ...expiryAttributes(pair.refresh) } },
      when: [{ attribute: 'isRevoked', is: '=', value: false }],
    };
    try {
      await this.table.transact([revokeWrite(used.digest, answer), prolong, ...pairWrites(pair), ...replyWrites]);
      return undefined;
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      const found = error.found.get(0);
      return found ? parseRefreshToken(found) : used;
    }
  }

  /**
   * Revokes a grant and every token of its family, for good. Safe to repeat. If the process dies after it has revoked
   * the grant, but not yet every token, a consumer of the event revokes the remaining tokens.
   */
  async revoke(grantId: string, context: WriteContext): Promise<void> {
    try {
      // The grant is revoked first. After that, no token is added to the family.
      await this.table.transact(grantRevocationWrites(grantId, context));
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
    }
    await this.revokeFamily(grantId);
  }

  /** Revokes the tokens of a revoked grant. Safe to repeat: tokens that are revoked are not written again. */
  async revokeFamily(grantId: string): Promise<void> {
    const family = await this.table.query({ partition: grantPartition(grantId), sortBeginsWith: tokenPrefix });
    const found = await credentialsOfDigests(
      this.table,
      family.map((item) => tokens.parse(item).digest),
    );
    await Promise.all(found.filter(({ isRevoked }) => !isRevoked).map((one) => this.revokeOne(one)));
  }

  /** Revokes one credential. Safe to repeat. */
  async revokeOne({ digest }: Pick<Credential, 'digest'>): Promise<void> {
    try {
      await this.table.write(revokeWrite(digest));
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
    }
  }
}

function parseRefreshToken(item: Item): CredentialOf<'refreshToken'> {
  const credential = Credential.parse(item);
  if (credential.kind !== 'refreshToken') throw new TypeError(`a ${credential.kind} is no refresh token`);
  return credential;
}

/**
 * The writes that revoke a grant. The tokens are revoked after these writes: immediately, or later by the consumer of
 * the event.
 */
export function grantRevocationWrites(grantId: string, { now, nextUuid }: WriteContext): Write[] {
  return [
    {
      kind: 'update',
      key: grants.key(grantId),
      changes: { set: { isRevoked: true } },
      when: [{ attribute: 'isRevoked', is: '=', value: false }],
    },
    outboxWrite({ id: nextUuid(), name: 'grant_revoked', entityId: grantId, occurredAt: now.toISOString() }),
  ];
}

/** The writes of a new grant, with its first refresh token. */
export function grantWrites(grant: Omit<Grant, 'refreshableUntil' | 'isRevoked'>, { refresh }: TokenPair): Write[] {
  const { id: grantId, userId, organisationId } = grant;
  const value = { ...grant, isRevoked: false, refreshableUntil: refresh.expiresAt ?? '' };
  const entry = listed.item(listed.key(listPartition(userId, organisationId), grantId), { grantId });
  return [
    { kind: 'put', item: grants.item(grants.key(grantId), value, expiryAttributes(refresh)), when: isNew },
    { kind: 'put', item: entry },
  ];
}

/** The writes of new tokens and of their entries in the family. */
export function pairWrites({ access, refresh }: TokenPair): Write[] {
  return [access, refresh].flatMap((credential): Write[] => {
    const { grantId, digest } = credential;
    const entry = tokens.item(tokens.key(grantId, digest), { digest }, expiryAttributes(credential));
    return [credentialWrite(credential), { kind: 'put', item: entry }];
  });
}
