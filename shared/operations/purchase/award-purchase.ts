import { awsMaximumItems } from '../../contracts/limits.ts';
import { type AwardClaim, award, chargesOf, isEarning } from '../../domain/award/claim.ts';
import { type AwardRequest, decideAwards, type Earner } from '../../domain/award/decide-awards.ts';
import { type AwardRejection, type Finalizable, withTransactions } from '../../domain/award/finalization.ts';
import { isRunning } from '../../domain/campaign/document/campaign.ts';
import { awardRequestForOrder } from '../../domain/order/order.ts';
import { countingTime, isClaimable, type PaymentReason } from '../../domain/payment/payment.ts';
import type { Purchase } from '../../domain/purchase/purchase.ts';
import { hasCaptures, moneyBought, moneyLeft } from '../../domain/purchase/settle.ts';
import { authenticationIdOf } from '../../store/award/claims.ts';
import type { PurchaseMoves } from '../../store/ledger/reversals.ts';
import { EventConflictError } from '../../store/ledger/transactions.ts';
import type { Write } from '../../store/table/table-client.ts';
import {
  awardEvent,
  type awardEventStores,
  findKnownPurchase,
  loadEarner,
  TokenAwaitedError,
} from '../award/award-event.ts';
import type { Deps } from '../operation.ts';
import { paymentModeOf } from '../payment/ingest-payment.ts';
import { findPayer, type findPayerStores } from './find-payer.ts';
import type { Book, loadBookStores } from './load-book.ts';

type AwardDeps = Deps<typeof awardEventStores & typeof loadBookStores & typeof findPayerStores>;

/** What one round of a settlement writes. */
export interface SettlementRound {
  readonly moves: PurchaseMoves;
  /** The writes that record the moves, or the awards. */
  readonly records: readonly Write[];
  /** Whether the next round has to write the rest. */
  readonly isCut: boolean;
}

/** Makes the writes that record a result. They are at most `room` items. */
type EndWrites = (awarding: Awarding, room: number) => Pick<SettlementRound, 'records' | 'isCut'>;

/** How the campaigns of a purchase were asked for awards. */
export interface Awarding {
  /** The member of the purchase, or the reason why there is none. */
  readonly payer: number | 'no_member' | 'several_members';
  /** The time for which campaigns were evaluated. ISO 8601. */
  readonly at: string;
  readonly rejection: AwardRejection | undefined;
  /** The amount for which campaigns were asked; absent if a later link of the member may still change the answer. */
  readonly decidedCents: number | undefined;
  /** The head as the awards left it. */
  readonly purchase: Purchase;
  /** Whether awards were written or found, so that the book has to be read again. */
  readonly isWritten: boolean;
  /** Present if the result was recorded in the write of the awards. */
  readonly recorded?: Pick<SettlementRound, 'isCut'>;
  /** The member and the campaigns of the decision; absent if the purchase has no member. */
  readonly earner?: Earner;
  /** A live token of the purchase that the awards wait for. */
  readonly awaits?: TokenAwaitedError;
}

/**
 * The amount for which campaigns were asked before, by the head or by what an earlier release recorded. An order that was
 * decided together with others has no head: it was asked for its own amount.
 */
function decidedCentsOf({ purchase, order, payments, statements }: Book): number {
  if (purchase.decidedCents !== undefined) return purchase.decidedCents;
  if (order && order.state !== 'PENDING') return moneyBought({ ...statements, claims: [] });
  const awarded = payments.flatMap(({ payment }) => payment.awards);
  return awarded.length === 0 ? -1 : awarded.reduce((sum, { eligibleCents }) => sum + eligibleCents, 0);
}

/**
 * Whether campaigns have to be asked for awards: for a new order, for payments that earned nothing yet, and when the
 * purchase grew. Tokens are awarded by endpoint 1.
 */
export function isAwardDue(book: Book): boolean {
  const { claims, order, payments, statements } = book;
  if (order?.state === 'PENDING') return true;
  if (!order && !hasCaptures(statements)) return false;
  if (payments.some(({ payment }) => payment.reason === 'member_blocked')) return false;
  if (moneyBought(statements) <= decidedCentsOf(book)) return false;
  // A payment whose order the merchant may also report is rewarded even if nothing is left, and then reversed. So the
  // result does not depend on which report arrives first.
  const isNamed = payments.some(({ payment }) => payment.book.orderExternalIds.length > 0);
  // A run that ended early may have asked some of the campaigns.
  return order !== undefined || isNamed || claims.length > 0 || moneyLeft(statements) > 0;
}

/**
 * Asks the campaigns without an award of the purchase. All awards are written together if possible; otherwise one after
 * the other, each with the claims of earlier runs and of tokens that it finds.
 *
 * @param endWrites makes the writes that record the result with the awards
 * @throws LimitConflictError when other rewards of the member used a limit meanwhile
 */
export async function awardPurchase(book: Book, endWrites: EndWrites, deps: AwardDeps): Promise<Awarding> {
  const { purchase, order } = book;
  const at = timeOf(book, deps);
  const nothing = { at, purchase, isWritten: false, rejection: undefined, decidedCents: undefined } as const;
  const payer = await payerOf(book, deps);
  if (typeof payer === 'string') return { ...nothing, payer };
  const { merchantId } = purchase;
  const load = async () =>
    selectCampaigns(await loadEarner({ userId: payer, merchantId }, new Date(at), deps), book, deps);
  const times = { at: new Date(at), awaitsSince: new Date(purchase.awaitsSince ?? deps.now()) };
  try {
    const request = await requestOf(book, times, deps);
    const earner = await load();
    const decided = decideAwards(earner, request.event);
    const result = {
      ...nothing,
      payer,
      earner,
      ...outcomeOf(decided.rejection, book, { isOrder: order !== undefined }),
    };
    if (decided.awards.length === 0 && decided.limited.length === 0) return result;
    if (decided.limited.length === 0) {
      const awarded = await awardTogether({ request, earner, decided: decided.awards, result, endWrites }, deps);
      if (awarded) return awarded;
    }
    const { record, rejection } = await awardEvent<Purchase & Finalizable>(
      {
        ...request,
        awaitsSince: times.awaitsSince,
        loadEarner: load,
        record: { ...purchase, updatedAt: deps.now().toISOString() },
        withClaim: withAward,
        writesFor: (changed) => deps.spend.changeWrites(changed),
      },
      deps,
    );
    const isWritten =
      record.revision > purchase.revision || record.transactionIds.length > purchase.transactionIds.length;
    return { ...result, ...outcomeOf(rejection, book, { isOrder: order !== undefined }), purchase: record, isWritten };
  } catch (error) {
    if (error instanceof TokenAwaitedError) return { ...nothing, payer, awaits: error };
    throw error;
  }
}

/** An order is decided once. A payment waits for a later link of its customer. */
function outcomeOf(rejection: AwardRejection, book: Book, { isOrder }: { readonly isOrder: boolean }) {
  const isOpen = !isOrder && book.claims.length === 0 && isClaimable(rejection);
  return { rejection, decidedCents: isOpen ? undefined : moneyBought(book.statements) };
}

/** Writes all awards and the result in one DynamoDB transaction; returns undefined if they have to be written one by one. */
async function awardTogether(
  {
    request,
    earner,
    decided,
    result,
    endWrites,
  }: {
    readonly request: AwardRequest;
    readonly earner: Earner;
    readonly decided: ReturnType<typeof decideAwards>['awards'];
    readonly result: Awarding;
    readonly endWrites: EndWrites;
  },
  deps: AwardDeps,
): Promise<Awarding | undefined> {
  const { config, nextIds, nextUuid, random, transactions } = deps;
  const now = deps.now();
  const { basis } = request;
  const { member, isOneOfSeveral } = earner;
  const awards = decided.map((one) => {
    const token = authenticationIdOf({ ...basis, campaignId: one.campaign.id }, config.stage, random(16));
    return award({ ...basis, member, isOneOfSeveral, now }, one, token, nextIds);
  });
  const size = awards.reduce((sum, { claim }) => sum + 3 + claim.rewards.length + chargesOf(claim).length, 0);
  if (size > awsMaximumItems.itemsOfAwards) return undefined;
  const purchase = awards.reduce<Purchase>((head, { claim }) => withAward(head, claim, now), result.purchase);
  const awarded: Awarding = { ...result, purchase, isWritten: true };
  const { records: basisWrites, isCut } = endWrites(awarded, awsMaximumItems.itemsPerTransaction - size);
  try {
    await transactions.awardTogether([{ entityId: basis.orderUuid ?? '', awards, basisWrites }], { now, nextUuid });
    return { ...awarded, recorded: { isCut } };
  } catch (error) {
    if (error instanceof EventConflictError) return undefined;
    throw error;
  }
}

/** Adds the award of a claim to the head of its purchase. */
const withAward = (purchase: Purchase, claim: AwardClaim, now: Date): Purchase & Finalizable => {
  const head = withTransactions({ ...purchase, updatedAt: purchase.updatedAt ?? '' }, claim, now);
  const campaignIds = [...new Set([...(purchase.campaignIds ?? []), claim.campaignId])].toSorted((a, b) => a - b);
  return { ...head, campaignIds };
};

/**
 * The member of a purchase: of its order or its awards, else of its payments. Another member may have paid for it with
 * points.
 */
async function payerOf({ purchase, claims, order, payments }: Book, deps: AwardDeps): Promise<Awarding['payer']> {
  const known = order?.userId ?? claims.find(isEarning)?.userId ?? purchase.spent?.userId;
  if (known !== undefined) return known;
  const found = await findPayer(
    payments.map(({ payment }) => payment),
    deps,
  );
  // A guest's payment belongs to the member who paid the rest with points.
  return found === 'no_member' ? (claims[0]?.userId ?? found) : found;
}

/** The time for which campaigns are evaluated: when the order arrived, or when the first payment that counts was made. */
function timeOf({ order, payments, statements }: Book, { config }: AwardDeps): string {
  if (order) return order.createdAt;
  const mode = paymentModeOf(config.stage);
  const captured = new Set(
    statements.payments.filter(({ capturedCents }) => capturedCents > 0).map(({ uuid }) => uuid),
  );
  const times = payments
    .filter(({ payment }) => captured.has(payment.uuid))
    .map(({ payment }) => countingTime(payment, mode));
  return times.toSorted()[0] ?? new Date(0).toISOString();
}

/**
 * The campaigns that may still award the purchase. When a link claims a payment late, a campaign rewards it only if the
 * campaign is still running.
 */
function selectCampaigns(earner: Earner, { claims, order, payments }: Book, { now }: AwardDeps): Earner {
  const rewarded = new Set(claims.map(({ campaignId }) => campaignId));
  const isLate = !order && payments.some(({ payment }) => isClaimable(payment.reason as PaymentReason | undefined));
  return {
    ...earner,
    campaigns: earner.campaigns.filter(
      (campaign) => !rewarded.has(campaign.id) && (!isLate || isRunning(campaign, now())),
    ),
  };
}

async function requestOf(
  { purchase, order, payments, statements }: Book,
  times: { readonly at: Date; readonly awaitsSince: Date },
  deps: AwardDeps,
): Promise<AwardRequest> {
  const { at } = times;
  const { merchantId, externalTransactionId } = purchase;
  const known = await findKnownPurchase(purchase, times, deps);
  const amountCents = moneyBought(statements);
  const amounts = { amountCents, spendCents: Math.max(0, amountCents - known.countedCents) };
  if (order) {
    const { event, basis } = awardRequestForOrder(order, { ...known, paidCents: statements.paidCents });
    return { event: { ...event, ...amounts }, basis };
  }
  const { partnerId } = known;
  const [first] = payments.filter(({ reason }) => reason === undefined);
  return {
    event: { trigger: { type: 'SPEND' }, at, ...amounts, ...(partnerId !== undefined && { partnerId }) },
    basis: {
      merchantId,
      externalTransactionId,
      amountCents: statements.payments.reduce((sum, { capturedCents }) => sum + capturedCents, 0),
      orderUuid: first?.payment.uuid ?? '',
    },
  };
}
