import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { PlatformEvent } from '../../contracts/events.ts';
import { maximumAttempts, retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { Decision } from '../../domain/campaign/evaluation/decision.ts';
import { ConnectSession } from '../../domain/connect/connect-session.ts';
import type { Link, LinkOffer } from '../../domain/connect/decide-link.ts';
import type { Unlink } from '../../domain/connect/decide-unlink.ts';
import { plainError } from '../../domain/errors.ts';
import { type CampaignReference, openingEntry } from '../../domain/ledger/ledger-entry.ts';
import type { Membership } from '../../domain/member/member.ts';
import { type CredentialOf, credentialWrite, revokeWrite } from '../credential/credentials.ts';
import { grantRevocationWrites, grantWrites, pairWrites, type TokenPair } from '../credential/grants.ts';
import { ledgerWrite } from '../ledger/ledger.ts';
import {
  associationChangeWrites,
  associationWrites,
  linkedUserWrite,
  links,
  membershipWrites,
  unlinkWrites,
  userWrite,
} from '../member/members.ts';
import { linkedAccountWrite } from '../member/program-accounts.ts';
import { outboxWrite } from '../outbox/outbox.ts';
import {
  ConditionFailedError,
  defineEntity,
  isNew,
  Repository,
  type RequestContext,
  type Write,
} from '../table/table-client.ts';

// Connect sessions, and the links of accounts that they lead to.

const sessions = defineEntity(ConnectSession, (digest: string) => ({
  pk: `${partitions.connect}${digest}`,
  sk: 'CONNECT',
}));

/** Sessions of the connect flow. */
export class ConnectSessions extends Repository {
  async add(session: ConnectSession, replyWrites: readonly Write[] = []): Promise<void> {
    const deleteAtMs = Date.parse(session.expiresAt) + retentionMs.expiredConnectSession;
    const attributes = { [ttlAttribute]: toSeconds(deleteAtMs) };
    const item = sessions.item(sessions.key(session.digest), session, attributes);
    await this.table.writeAll([{ kind: 'put', item, when: isNew }, ...replyWrites]);
  }

  async find(digest: string): Promise<ConnectSession | undefined> {
    const item = await this.table.get(sessions.key(digest));
    return item && sessions.parse(item);
  }

  /**
   * Uses up one of the session's attempts to prove an account; false when no attempt is left or the session was used.
   */
  async claimAttempt({ digest }: ConnectSession): Promise<boolean> {
    try {
      await this.table.write({
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

  /**
   * Uses up a session, and writes the code that offers the proven account.
   *
   * @returns false when another request used the session first
   */
  async offer({ digest }: ConnectSession, code: CredentialOf<'authorizationCode'>): Promise<boolean> {
    const use: Write = {
      kind: 'update',
      key: sessions.key(digest),
      changes: { set: { isUsed: true } },
      when: [{ attribute: 'isUsed', is: '=', value: false }],
    };
    try {
      await this.table.transact([use, credentialWrite(code)]);
      return true;
    } catch (error) {
      if (error instanceof ConditionFailedError) return false;
      throw error;
    }
  }
}

/**
 * For each merchant and e-mail address: the customer who gave the address last. A link uses only a customer who has no
 * linked account yet.
 */
const customerEmails = defineEntity(z.object({ userId: z.int() }), (merchantId: number, email: string) => ({
  pk: `${partitions.customerEmail}${merchantId}#${createHash('sha256').update(email.trim().toLowerCase()).digest('hex')}`,
  sk: 'CUSTOMER_EMAIL',
}));

/** Everything that one link writes. */
export interface LinkResult {
  readonly offer: LinkOffer;
  readonly link: Link;
  /** The decisions of the connect-only campaigns about a new account. */
  readonly registrations: readonly Registration[];
  /** Names the merchant and the partner, and the time of the link. */
  readonly event: PlatformEvent;
  /** The additional writes of a code's exchange. A link by an operator has none, because no member granted anything. */
  readonly exchange?: CodeExchange;
  /** Further writes for the same DynamoDB transaction, such as the reply to the request or a row of the audit trail. */
  readonly extraWrites: readonly Write[] | undefined;
}

/** The decision of a connect-only campaign about a new account, and whether the campaign counts it as a registration. */
export interface Registration {
  readonly campaign: CampaignReference;
  readonly decision: Decision;
  readonly isCounted: boolean;
}

/** The decisions of connect-only campaigns about an account, by the id of the membership. */
const registrationDecisions = defineEntity(
  z.object({ userId: z.int(), decisions: z.array(Decision) }),
  (membershipId: number) => ({ pk: links.key(membershipId).pk, sk: 'DECISIONS' }),
);

/** The exchange of a code. */
interface CodeExchange {
  /** The code that offered the account. */
  readonly code: CredentialOf<'authorizationCode'>;
  /** The member's first tokens for the merchant. */
  readonly pair: TokenPair;
}

/** Everything that one unlink writes. */
export interface UnlinkResult {
  readonly unlink: Unlink;
  /** The grants that end with the unlink. */
  readonly grantIds: readonly string[];
  readonly context: RequestContext;
}

/** The code was used or revoked. */
export class CodeUsedError extends plainError('CodeUsedError', 'the code was used before') {}

/** An operator changed or closed the account after it was proved. */
export class AccountChangedError extends plainError('AccountChangedError', 'the account was changed meanwhile') {}

/** A parallel link of the same member or account was written first. */
export class LinkConflictError extends plainError('LinkConflictError', 'another link was written first') {}

/** Links between users and accounts of loyalty programs. */
export class Links extends Repository {
  /** Finds a merchant's customer by an e-mail that the program verified. */
  async findUserIdByEmail(merchantId: number, email: string): Promise<number | undefined> {
    const item = await this.table.get(customerEmails.key(merchantId, email));
    return item && customerEmails.parse(item).userId;
  }

  /** Finds the decisions of the connect-only campaigns that ran when an account was linked. */
  async findDecisions(membershipId: number): Promise<{ userId: number; decisions: Decision[] } | undefined> {
    const item = await this.table.get(registrationDecisions.key(membershipId));
    return item && registrationDecisions.parse(item);
  }

  /**
   * Writes a link with its event. The exchange of a code uses up the code, and writes the tokens.
   *
   * @throws CodeUsedError, AccountChangedError, LinkConflictError
   */
  async write(result: LinkResult): Promise<void> {
    const { offer, link, event, exchange, extraWrites = [] } = result;
    const { user, membership, association, changed } = link;
    const { merchantId, occurredAt } = event;
    const used = exchange && revokeWrite(exchange.code.digest);
    const account = linkedAccountWrite(offer.account, membership && occurredAt);
    const guards = [used, account].filter((write) => write !== undefined);
    try {
      await this.table.transact([
        ...guards,
        ...userWrites(link),
        ...(membership ? [...membershipWrites(membership), ...openingWrites(result, membership)] : []),
        ...(association ? [...associationWrites(association), ...emailWrites(merchantId, offer, user.id)] : []),
        ...(changed ? associationChangeWrites(changed) : []),
        ...(exchange ? tokenWrites(exchange, user.id, event) : []),
        outboxWrite(event),
        ...extraWrites,
      ]);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      const hasFailed = (guard: Write | undefined) => guard !== undefined && error.found.has(guards.indexOf(guard));
      if (hasFailed(used)) throw new CodeUsedError();
      throw hasFailed(account) ? new AccountChangedError() : new LinkConflictError();
    }
  }

  /**
   * Writes an unlink, and revokes the user's grants that end with the unlink.
   *
   * @throws LinkConflictError when the user's links at the merchant, or a grant, changed since they were read
   */
  async unlink({ unlink, grantIds, context }: UnlinkResult): Promise<void> {
    try {
      await this.table.transact([
        ...unlinkWrites(unlink, context.now.toISOString()),
        ...grantIds.flatMap((grantId) => grantRevocationWrites(grantId, context)),
        ...(context.replyWrites ?? []),
      ]);
    } catch (error) {
      throw error instanceof ConditionFailedError ? new LinkConflictError() : error;
    }
  }
}

/** The write of a new user, or of a user who becomes the customer of one more merchant. */
function userWrites({ user, isNewUser, association }: Link): Write[] {
  if (isNewUser) return [userWrite(user)];
  return association ? [linkedUserWrite(user)] : [];
}

function tokenWrites({ code, pair }: CodeExchange, userId: number, { occurredAt }: PlatformEvent): Write[] {
  const { organisationId, grantId: id } = code;
  return [...grantWrites({ id, organisationId, userId, createdAt: occurredAt }, pair), ...pairWrites(pair)];
}

/** The writes of a new account's balance, and of the decisions of connect-only campaigns about it. */
function openingWrites(
  { offer, link: { user }, registrations, event: { occurredAt: createdAt } }: LinkResult,
  { id }: Membership,
): Write[] {
  const { partnerId, points } = offer.account;
  const registers = registrations.filter(({ isCounted }) => isCounted).map(({ campaign }) => campaign);
  const opening = ledgerWrite({
    ...openingEntry(user, { partnerId, points, createdAt }),
    ...(registers.length > 0 && { registers }),
  });
  if (registrations.length === 0) return [opening];
  const decisions = registrations.map(({ decision }) => decision);
  const key = registrationDecisions.key(id);
  return [opening, { kind: 'put', item: registrationDecisions.item(key, { userId: user.id, decisions }) }];
}

function emailWrites(merchantId: number, { user: { email } }: LinkOffer, userId: number): Write[] {
  return email === undefined ? [] : [customerEmailWrite(merchantId, email, userId)];
}

/** The write that lets a merchant's customer be found by e-mail. */
export function customerEmailWrite(merchantId: number, email: string, userId: number): Write {
  return { kind: 'put', item: customerEmails.item(customerEmails.key(merchantId, email), { userId }) };
}
