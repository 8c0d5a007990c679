import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { PlatformEvent } from '../../contracts/events.ts';
import { maximumAttempts, retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { ConnectSession } from '../../domain/connect/connect-session.ts';
import type { Link, ProvenAccount } from '../../domain/connect/decide-link.ts';
import type { CampaignReference } from '../../domain/ledger/ledger-entry.ts';
import { type CredentialOf, credentialWrite, grantWrite } from '../credential/credentials.ts';
import { ledgerWrite } from '../ledger/ledger.ts';
import { associationChangeWrites, associationWrites, membershipWrites, userWrite } from '../member/members.ts';
import { outboxWrite } from '../outbox/outbox.ts';
import { ConditionFailedError, defineEntity, isNew, type TableClient, type Write } from '../table/table-client.ts';

// Connect sessions, and the links of accounts that they lead to.

const sessions = defineEntity(ConnectSession, (digest: string) => ({
  pk: `${partitions.connect}${digest}`,
  sk: 'CONNECT',
}));

/** Sessions of the connect flow. */
export class ConnectSessions {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  async add(session: ConnectSession, replyWrites: readonly Write[] = []): Promise<void> {
    const deleteAtMs = Date.parse(session.expiresAt) + retentionMs.expiredConnectSession;
    const attributes = { [ttlAttribute]: toSeconds(deleteAtMs) };
    const item = sessions.item(sessions.key(session.digest), session, attributes);
    await this.#table.writeAll([{ kind: 'put', item, when: isNew }, ...replyWrites]);
  }

  async find(digest: string): Promise<ConnectSession | undefined> {
    const item = await this.#table.get(sessions.key(digest));
    return item && sessions.parse(item);
  }

  /** Takes one of the session's attempts; false when none is left or the session was used. */
  async claimAttempt({ digest }: ConnectSession): Promise<boolean> {
    try {
      await this.#table.write({
        kind: 'update',
        key: sessions.key(digest),
        changes: { add: { attempts: 1 } },
        when: [
          { attribute: 'isUsed', is: '=', value: false },
          { attribute: 'attempts', is: '<', value: maximumAttempts.connectProof },
        ],
      });
      return true;
    } catch (error) {
      if (error instanceof ConditionFailedError) return false;
      throw error;
    }
  }
}

/** The write that uses a session up. When two requests race, only one links. */
function useSessionWrite({ digest }: ConnectSession): Write {
  return {
    kind: 'update',
    key: sessions.key(digest),
    changes: { set: { isUsed: true } },
    when: [{ attribute: 'isUsed', is: '=', value: false }],
  };
}

/** The customer of a merchant who last gave an e-mail address. It finds unlinked customers only. */
const customerEmails = defineEntity(z.object({ userId: z.int() }), (merchantId: number, email: string) => ({
  pk: `${partitions.customerEmail}${merchantId}#${createHash('sha256').update(email.trim().toLowerCase()).digest('hex')}`,
  sk: 'CUSTOMER_EMAIL',
}));

/** Everything that one link writes. */
export interface LinkResult {
  readonly session: ConnectSession;
  readonly account: ProvenAccount;
  readonly link: Link;
  readonly code: CredentialOf<'authorizationCode'>;
  /** The campaigns that count a new account as a registration. */
  readonly registers: readonly CampaignReference[];
  readonly event: PlatformEvent;
}

/** Links between users and accounts of loyalty programs. */
export class Links {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** Finds a merchant's customer by an e-mail that the program verified. */
  async findUserIdByEmail(merchantId: number, email: string): Promise<number | undefined> {
    const item = await this.#table.get(customerEmails.key(merchantId, email));
    return item && customerEmails.parse(item).userId;
  }

  /**
   * Writes a link with its code and its event, and uses the session up.
   *
   * @returns false when the session was used, or another link was written first
   */
  async write(result: LinkResult): Promise<boolean> {
    const { session, link, code, event } = result;
    const { user, isNewUser, membership, association, changed } = link;
    const createdAt = event.occurredAt;
    const grant = { id: code.grantId, organisationId: session.organisationId, userId: user.id };
    try {
      await this.#table.transact([
        useSessionWrite(session),
        ...(isNewUser ? [userWrite(user)] : []),
        ...(membership ? [...membershipWrites(membership), openingEntry(result)] : []),
        ...(association ? [...associationWrites(association), ...emailWrites(session, user.id)] : []),
        ...(changed ? associationChangeWrites(changed) : []),
        grantWrite({ ...grant, isRevoked: false, createdAt }),
        credentialWrite(code),
        outboxWrite(event),
      ]);
      return true;
    } catch (error) {
      if (error instanceof ConditionFailedError) return false;
      throw error;
    }
  }
}

function openingEntry({ link: { user }, account, registers, event: { occurredAt: createdAt } }: LinkResult): Write {
  return ledgerWrite({
    userId: user.id,
    partnerId: account.partnerId,
    campaign: null,
    transactionId: user.id,
    transactionUuid: user.uuid,
    kind: 'OPENING',
    points: account.points,
    cashbackCents: 0,
    ...(registers.length > 0 && { registers: [...registers] }),
    createdAt,
  });
}

function emailWrites({ organisationId, user: { email } }: ConnectSession, userId: number): Write[] {
  return email === undefined ? [] : [customerEmailWrite(organisationId, email, userId)];
}

/** The write that lets a merchant's customer be found by e-mail. */
export function customerEmailWrite(merchantId: number, email: string, userId: number): Write {
  return { kind: 'put', item: customerEmails.item(customerEmails.key(merchantId, email), { userId }) };
}
