import { randomBytes } from 'node:crypto';
import { integerIdOf, uuidOf } from '../../shared/domain/ids.ts';
import type { Membership } from '../../shared/domain/member/member.ts';
import type { Purchase } from '../../shared/domain/transaction/purchase.ts';
import { type Reservation, reserve } from '../../shared/domain/transaction/reserve.ts';
import type { RewardTransaction } from '../../shared/domain/transaction/reward-transaction.ts';
import { ledgerWrite } from '../../shared/store/ledger.ts';
import { Members, memberWrites } from '../../shared/store/members.ts';
import { authenticationIdOf, Purchases, purchaseKey } from '../../shared/store/purchases.ts';
import type { Stamp } from '../../shared/store/transaction-writes.ts';
import { PurchaseChanged, Transactions } from '../../shared/store/transactions.ts';
import {
  aCampaign,
  aFlow,
  aMember,
  aMembership,
  anAssociation,
  aRequest,
  aUser,
  decided,
  earning,
  noon,
  redeeming,
} from '../domain/fixtures.ts';
import type { TestTable } from '../support/test-table.ts';

/** A cent is a point, to earn as to pay, so that amounts are points. */
const campaigns = {
  earn: aCampaign({ id: 5, flows: [aFlow([earning(1_000_000)])] }),
  redeem: aCampaign({ id: 6, type: 'REDEEM', flows: [aFlow([redeeming(10_000)])] }),
  both: aCampaign({ id: 7, type: 'REDEEM', flows: [aFlow([redeeming(10_000, 1), earning(1_000_000, 2)])] }),
} as const;
export type CampaignName = keyof typeof campaigns;

/** An order as tests name it. */
export interface Order {
  readonly campaign: CampaignName;
  readonly externalTransactionId: string;
  /** In cents, and so in points. */
  readonly points: number;
}

let lastUserId = 1_000;

/** A member with a balance, and what can happen to it; time is an argument. */
export class Account {
  readonly member = aMember();
  readonly transactions: Transactions;
  readonly purchases: Purchases;
  readonly #table: TestTable;

  private constructor(table: TestTable, member: Account['member']) {
    this.member = member;
    this.#table = table;
    this.transactions = new Transactions(table.client);
    this.purchases = new Purchases(table.client);
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
    const account = new Account(table, aMember({ user, memberships: [membership], associations: [association] }));
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

  stamp(now = noon): Stamp {
    return { now, nextUuid: () => uuidOf(now, randomBytes(10)) };
  }

  async balance(): Promise<Pick<Membership, 'availablePoints' | 'heldPoints'>> {
    const [membership = aMembership()] =
      (await new Members(this.#table.client).find(this.member.user.id))?.memberships ?? [];
    return { availablePoints: membership.availablePoints, heldPoints: membership.heldPoints };
  }

  /** What is to be written for an order, whatever the balance is. */
  reservation({ campaign, externalTransactionId, points }: Order, now = noon): Reservation {
    const enough = {
      ...this.member,
      memberships: [aMembership({ userId: this.member.user.id, availablePoints: points })],
    };
    const request = aRequest({
      member: enough,
      campaigns: [campaigns[campaign]],
      externalTransactionId,
      amountCents: points,
      now,
    });
    const authentication = decided(request);
    if ('refused' in authentication) throw new Error(authentication.because);
    const key = { ...request, campaignId: campaigns[campaign].id };
    return reserve(request, authentication, authenticationIdOf(key, 'local', randomBytes(16)), () => nextIds(now));
  }

  /** Reserves an order, and gives its purchase back. */
  async reserve(order: Order, now = noon): Promise<Purchase> {
    const reservation = this.reservation(order, now);
    await this.transactions.reserve(reservation, this.stamp(now));
    return reservation.purchase;
  }

  /** Reserves an order and spends its token; gives the pending transactions. */
  async pending(order: Order): Promise<RewardTransaction[]> {
    const purchase = await this.reserve(order);
    await this.transactions.create(purchase, undefined, this.stamp());
    const found = await Promise.all(purchase.rewards.map(({ id }) => this.transactions.find(id)));
    return found.flatMap((transaction) => transaction ?? []);
  }

  find({ campaign, externalTransactionId }: Omit<Order, 'points'>): Promise<Purchase | undefined> {
    return this.purchases.findDue(
      purchaseKey({ merchantId: 1, campaignId: campaigns[campaign].id, externalTransactionId }),
    );
  }
}

function nextIds(now: Date) {
  const uuid = uuidOf(now, randomBytes(10));
  return { uuid, id: integerIdOf(uuid) ?? 0 };
}

/** Whether a call did what it says; false when another one was first. Whatever else fails is thrown. */
export async function wins(call: Promise<void>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof PurchaseChanged) return false;
    throw error;
  }
}
