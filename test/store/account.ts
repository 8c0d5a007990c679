import { randomBytes } from 'node:crypto';
import { type AwardClaim, type Reservation, reserve, type TransactionIds } from '../../shared/domain/award/claim.ts';
import { authenticate, type RefusedAuthentication } from '../../shared/domain/award/decide-awards.ts';
import type { Campaign } from '../../shared/domain/campaign/document/campaign.ts';
import { integerIdOf, uuidOf } from '../../shared/domain/ids.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import type { Member, Membership } from '../../shared/domain/member/member.ts';
import type { Finalizing } from '../../shared/operations/posting/finalize-transactions.ts';
import { cancelClaim } from '../../shared/operations/token/cancel-claim.ts';
import { AwardClaims, authenticationIdOf, claimKey } from '../../shared/store/award/claims.ts';
import { ledgerWrite } from '../../shared/store/ledger/ledger.ts';
import { Postings } from '../../shared/store/ledger/postings.ts';
import { ClaimConflictError, Transactions } from '../../shared/store/ledger/transactions.ts';
import { Members, memberWrites } from '../../shared/store/member/members.ts';
import type { WriteContext } from '../../shared/store/table/table-client.ts';
import {
  aCampaign,
  aFlow,
  aMember,
  aMembership,
  anAssociation,
  aPartnership,
  aRequest,
  aUser,
  aUserLimit,
  earning,
  noon,
  redeeming,
} from '../domain/fixtures.ts';
import { confirm, type Legs, reject } from '../support/finalize.ts';
import { silentLog } from '../support/silent-log.ts';
import type { TestTable } from '../support/test-table.ts';

const otherPartnerId = 3;

/** One cent earns one point and one point pays one cent, so every amount is also a number of points. */
const campaigns = {
  earn: aCampaign({ id: 5, flows: [aFlow([earning(1_000_000)])] }),
  redeem: aCampaign({ id: 6, type: 'REDEEM', flows: [aFlow([redeeming(10_000)])] }),
  both: aCampaign({ id: 7, type: 'REDEEM', flows: [aFlow([redeeming(10_000, 1), earning(1_000_000, 2)])] }),
  /** Two events a day, 700 points a week. */
  limitedEarn: aCampaign({
    id: 8,
    flows: [
      {
        ...aFlow([earning(1_000_000)]),
        limits: [
          aUserLimit({ id: 50, amount: 2, period: 'DAY' }),
          aUserLimit({ id: 51, unit: 'POINTS', amount: 700, period: 'WEEK' }),
        ],
      },
    ],
  }),
  /** A point and fifty cents of cashback for each dollar, for one event a day. */
  pointsAndCashback: aCampaign({
    id: 11,
    flows: [
      {
        ...aFlow([earning(10_000, 1), { id: 2, ownerId: 2, kind: 'AWARD_CASHBACK', shareBp: 5_000 }]),
        limits: [aUserLimit({ id: 80, amount: 1, period: 'DAY' })],
      },
    ],
  }),
  limitedRedeem: aCampaign({
    id: 9,
    type: 'REDEEM',
    flows: [
      {
        ...aFlow([redeeming(10_000)]),
        limits: [aUserLimit({ id: 60, unit: 'POINTS', amount: 500, period: 'LIFETIME' })],
      },
    ],
  }),
  /** Transfers points from the account's first program to its second one. */
  transfer: aCampaign({
    id: 10,
    type: 'TRANSFER',
    flows: [
      {
        ...aFlow([
          {
            id: 1,
            ownerId: 2,
            kind: 'TRANSFER_POINTS',
            fromPartnerId: 2,
            toPartnerId: otherPartnerId,
            conversionRateBp: 5_000,
            increment: 1,
          },
        ]),
        limits: [aUserLimit({ id: 70, amount: 1, period: 'DAY' })],
      },
    ],
  }),
} as const;
export type CampaignName = keyof typeof campaigns;

/** An order of a test. */
export interface Order {
  /** One of the campaigns above, or a campaign of the test. */
  readonly campaign: CampaignName | Campaign;
  readonly externalTransactionId: string;
  /** The amount in cents, which equals its points. */
  readonly points: number;
  /** The partnership's time zone. */
  readonly timeZone?: string;
}

const campaignOf = (campaign: Order['campaign']): Campaign =>
  typeof campaign === 'string' ? campaigns[campaign] : campaign;

let lastUserId = 1_000;

/** A member with a balance, and the requests that change it. Every method takes the time. */
export class Account {
  readonly member = aMember();
  readonly transactions: Transactions;
  readonly claims: AwardClaims;
  readonly members: Members;
  readonly postings: Postings;
  readonly #table: TestTable;

  private constructor(table: TestTable, member: Account['member']) {
    this.member = member;
    this.#table = table;
    this.transactions = new Transactions(table.client);
    this.claims = new AwardClaims(table.client);
    this.members = new Members(table.client);
    this.postings = new Postings(table.client);
  }

  static async open(table: TestTable, points: number): Promise<Account> {
    lastUserId += 1;
    const user = aUser({ id: lastUserId, uuid: uuidOf(noon, randomBytes(10)) });
    const membership = aMembership({
      id: lastUserId,
      userId: user.id,
      externalId: `SKY-${user.id}`,
      availablePoints: points,
    });
    const association = anAssociation({ userId: user.id, externalId: `customer-${user.id}` });
    const other = aMembership({
      ...membership,
      id: lastUserId + 1_000_000,
      partnerId: otherPartnerId,
      availablePoints: 0,
    });
    const account = new Account(
      table,
      aMember({ user, memberships: [membership, other], associations: [association] }),
    );
    const opening = ledgerWrite({
      userId: user.id,
      partnerId: membership.partnerId,
      campaign: null,
      transactionId: user.id,
      transactionUuid: user.uuid,
      kind: 'OPENING',
      points,
      cashbackCents: 0,
      createdAt: noon.toISOString(),
    });
    await table.client.transact([...memberWrites(account.member), opening]);
    return account;
  }

  context(now = noon): WriteContext {
    return { now, nextUuid: () => uuidOf(now, randomBytes(10)) };
  }

  /** The loyalty program confirms pending transactions, or reversals. Returns whether this call recorded the answer. */
  complete(legs: Legs, reference?: string, now = noon): Promise<boolean> {
    return confirm(legs, this.#finalizing(now), reference);
  }

  /** The loyalty program rejects pending transactions, or reversals. Returns whether this call recorded the answer. */
  fail(legs: Legs, reason: string, now = noon): Promise<boolean> {
    return reject(legs, reason, this.#finalizing(now));
  }

  #finalizing(now: Date): Finalizing {
    const { nextUuid } = this.context(now);
    const { members, postings, transactions } = this;
    const stores = { members, postings, transactions };
    return { now: () => now, nextUuid, log: silentLog().log, table: this.#table.client, ...stores };
  }

  /** Cancels a claim whose token expired. Points that come back settle what the member owes. */
  expire(claim: AwardClaim, now: Date): Promise<void> {
    return cancelClaim(claim, now, this.#finalizing(now));
  }

  async balance(): Promise<Pick<Membership, 'availablePoints' | 'heldPoints'>> {
    const { availablePoints, heldPoints } = await this.#membership();
    return { availablePoints, heldPoints };
  }

  /** The points that the member owes: shortfalls of reversals that no points have settled. */
  async owed(): Promise<number> {
    return (await this.#membership()).owedPoints;
  }

  async #membership(): Promise<Membership> {
    const { user, memberships } = this.member;
    const found = await this.members.findMembership(user.id, memberships[0]?.partnerId ?? 0);
    return found ?? aMembership();
  }

  /** Decides a reservation as if the balance were large. */
  reservation(order: Order, now = noon): Reservation {
    const memberships = this.member.memberships.map((one) => ({ ...one, availablePoints: 1_000_000 }));
    const reservation = this.#decide(order, { member: { ...this.member, memberships }, earlier: undefined, now });
    if ('refused' in reservation) throw new Error(reservation.refused);
    return reservation;
  }

  /** Decides a reservation for the stored member. The new token replaces an earlier token of the order. */
  async decide(order: Order, earlier: AwardClaim | undefined, now: Date): Promise<Reservation | RefusedAuthentication> {
    const member = await this.members.find(this.member.user.id);
    if (!member) throw new Error('the account is not open');
    return this.#decide(order, { member, earlier, now });
  }

  #decide(
    { campaign: name, externalTransactionId, points, timeZone }: Order,
    { member, earlier, now }: { member: Member; earlier: AwardClaim | undefined; now: Date },
  ): Reservation | RefusedAuthentication {
    const campaign = campaignOf(name);
    const partnership = aPartnership(timeZone === undefined ? {} : { timeZone });
    const request = aRequest({
      member,
      campaigns: [campaign],
      partnerships: [partnership, aPartnership({ uuid: 'other', partnerId: otherPartnerId })],
      campaignId: campaign.id,
      externalTransactionId,
      amountCents: name === 'transfer' ? points * 100 : points,
      now,
    });
    const authentication = authenticate(request, { campaign, partnership }, earlier);
    if ('refused' in authentication) return authentication;
    const key = { ...request, campaignId: campaign.id };
    return reserve(request, authentication, authenticationIdOf(key, 'local', randomBytes(16)), () => nextIds(now));
  }

  /** Reserves an order. Returns its award claim. */
  async reserve(order: Order, now = noon): Promise<AwardClaim> {
    const reservation = this.reservation(order, now);
    await this.transactions.reserve(reservation, this.context(now));
    return reservation.claim;
  }

  /** Reserves an order and spends its token. Returns the pending transactions. */
  async pending(order: Order): Promise<RewardTransaction[]> {
    const claim = await this.reserve(order);
    await this.transactions.create(claim, this.context());
    const found = await Promise.all(claim.rewards.map(({ id }) => this.transactions.find(id)));
    return found.flatMap((transaction) => transaction ?? []);
  }

  find({
    campaign,
    externalTransactionId,
  }: Pick<Order, 'campaign' | 'externalTransactionId'>): Promise<AwardClaim | undefined> {
    return this.claims.findDue(claimKey({ merchantId: 1, campaignId: campaignOf(campaign).id, externalTransactionId }));
  }
}

/** A claim of a member who owes nothing. */
export const holding = (claim: AwardClaim) => ({ claim, accounts: [] });

const usedIds = new Set<number>();

/**
 * Returns new identifiers with a given creation time. Two UUIDs of one millisecond may have the same integer id. The
 * platform then takes another one; here each id is used once.
 */
function nextIds(now: Date): TransactionIds {
  const uuid = uuidOf(now, randomBytes(10));
  const id = integerIdOf(uuid) ?? 0;
  if (usedIds.has(id)) return nextIds(now);
  usedIds.add(id);
  return { uuid, id };
}

/** Returns whether a call succeeded; false when another call changed the claim first. */
export async function wins(call: Promise<void>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof ClaimConflictError) return false;
    throw error;
  }
}
