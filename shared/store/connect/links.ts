import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { PlatformEvent } from '../../contracts/events.ts';
import { partitions } from '../../contracts/table.ts';
import type { ConnectSession } from '../../domain/connect/connect-session.ts';
import type { KnownMembers, Link, ProvenAccount } from '../../domain/connect/decide-link.ts';
import type { CampaignReference } from '../../domain/ledger/ledger-entry.ts';
import type { Member } from '../../domain/member/member.ts';
import { type CredentialOf, credentialWrite } from '../credential/credentials.ts';
import { grantWrite } from '../credential/grants.ts';
import { ledgerWrite } from '../ledger/ledger.ts';
import { associationChangeWrites, associationWrites, Members, membershipWrites, userWrite } from '../member/members.ts';
import { outboxWrite } from '../outbox/outbox.ts';
import { ConditionFailedError, defineEntity, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';
import { useSessionWrite } from './connect-sessions.ts';

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
  readonly #members: Members;

  constructor(table: TableClient) {
    this.#table = table;
    this.#members = new Members(table);
  }

  /** The members that a proven account and a merchant's words about its holder lead to. */
  async known(session: ConnectSession, account: ProvenAccount): Promise<KnownMembers> {
    const { organisationId, user } = session;
    const [byAccount, byExternalId, byEmail] = await Promise.all([
      this.#members.findByExternalId(account.partnerId, account.externalId),
      user.externalId === undefined ? undefined : this.#members.findByExternalId(organisationId, user.externalId),
      account.email === null ? undefined : this.#findByEmail(organisationId, account.email),
    ]);
    return { byAccount, byExternalId, byEmail };
  }

  async #findByEmail(merchantId: number, email: string): Promise<Member | undefined> {
    const item = await this.#table.get(customerEmails.key(merchantId, email));
    return item && this.#members.find(customerEmails.parse(item).userId);
  }

  /**
   * Writes a link with its code and its event, and uses the session up.
   *
   * @returns false when the session was used, or another link was faster
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
