import {
  type AwardClaim,
  award,
  type DecidedReward,
  earnedProgramOf,
  isAwaited,
  isAwardOf,
  isEarning,
} from '../../domain/award/claim.ts';
import {
  type AwardRequest,
  decideAwards,
  type Earner,
  haveSeveralPrograms,
  type KnownPurchase,
} from '../../domain/award/decide-awards.ts';
import {
  type AwardRejection,
  type Finalizable,
  withNextRevision,
  withTransactions,
} from '../../domain/award/finalization.ts';
import { seenAt } from '../../domain/member/member.ts';
import type { Partnership } from '../../domain/partnership.ts';
import { type Purchase, toKnownPurchase } from '../../domain/purchase/purchase.ts';
import { AwardClaims, authenticationIdOf } from '../../store/award/claims.ts';
import { Campaigns } from '../../store/campaign/campaigns.ts';
import {
  ClaimConflictError,
  LimitConflictError,
  ProgramConflictError,
  Transactions,
} from '../../store/ledger/transactions.ts';
import { Members } from '../../store/member/members.ts';
import type { Write } from '../../store/table/table-client.ts';
import type { Deps } from '../operation.ts';
import { decideAndWrite } from '../operation.ts';
import { cancelClaim } from '../token/cancel-claim.ts';

export const awardEventStores = {
  campaigns: Campaigns,
  members: Members,
  claims: AwardClaims,
  transactions: Transactions,
};
type AwardDeps = Deps<typeof awardEventStores>;

/** A reward event to award, and the record (an order, a trigger event) that lists its awards. */
export interface AwardableEvent<Item extends Finalizable> extends AwardRequest {
  /** When the wait for a token of the same purchase began; by default it begins now. */
  readonly awaitsSince?: Date;
  /** Loads the member and the campaigns active at `at`. Called again before every new decision. */
  readonly loadEarner: (at: Date) => Promise<Earner>;
  /**
   * The record that lists the event's transactions. The write of an award adds the award's transactions to this list.
   */
  readonly record: Item;
  /** Adds a claim to the record. By default, adds the ids of its transactions. */
  readonly withClaim?: (record: Item, claim: AwardClaim, now: Date) => Item;
  /** The writes that store a changed record. */
  readonly writesFor: (record: Item) => readonly Write[];
}

/** A token for the same external transaction may still be spent: the event waits for it. */
export class TokenAwaitedError extends Error {
  override readonly name = 'TokenAwaitedError';

  constructor(externalTransactionId: string) {
    super(`a token for ${externalTransactionId} may still be spent`);
  }
}

/** The record as it is stored after the awards, and the rejection if there is no award. */
export interface AwardedEvent<Item> {
  readonly record: Item;
  readonly rejection: AwardRejection;
  /** Whether a campaign gave no award because it had rewarded an earlier event about the same friend. */
  readonly wasRewardedBefore: boolean;
}

/**
 * Writes every award of a reward event: an order, a trigger event, a registration or a referral. Each award is one
 * DynamoDB transaction. The claim of an award shows that the award was written, so a run may be repeated from any
 * point. An award that fails does not stop the awards of other campaigns.
 *
 * @throws Error when the user is not found, another run writes first, or a token for the same external transaction may
 * still be spent; a retry writes the awards that are still missing
 * @throws ProgramConflictError when a token of another program claimed the purchase first; a retry finds that token
 */
export async function awardEvent<Item extends Finalizable>(
  event: AwardableEvent<Item>,
  deps: AwardDeps,
): Promise<AwardedEvent<Item>> {
  const run = new AwardRun(event, deps);
  return decideAndWrite(
    {
      subject: `the limit usage of the user awarded for ${event.basis.externalTransactionId}`,
      load: () => event.loadEarner(event.event.at),
      write: (earner) => run.awardAll(earner),
      conflicts: [LimitConflictError],
    },
    deps,
  );
}

/** The user and merchant of a reward event. */
export interface EarnerQuery {
  readonly userId: number;
  readonly merchantId: number;
  /** Selects partnerships of the merchant; all of them by default. */
  readonly under?: (partnership: Partnership) => boolean;
}

/**
 * Loads everything that a decision depends on, in one round trip.
 *
 * @throws Error for a user that never existed
 */
export async function loadEarner(
  { userId, merchantId, under }: EarnerQuery,
  at: Date,
  { members, campaigns }: Pick<AwardDeps, 'members' | 'campaigns'>,
): Promise<Earner> {
  const [member, offered] = await Promise.all([
    members.findEarner(userId),
    campaigns.offeredWithTokens(merchantId, at),
  ]);
  // A campaign runs only under a partnership, so filtering partnerships filters campaigns.
  return {
    ...offered,
    member: seenAt(member, merchantId, at),
    isOneOfSeveral: haveSeveralPrograms(offered.campaigns),
    partnerships: under ? offered.partnerships.filter(under) : offered.partnerships,
  };
}

/**
 * Finds what other reports of a purchase contain: the cents paid with points, and the program in which the purchase
 * earned. At a merchant with several programs, the claims are read too: a token or an earlier run may have earned after
 * the record of the purchase was written. A token that has expired, or for which no event waits any more, is cancelled:
 * such a token may tie the purchase to another program.
 *
 * @param at the time for which campaigns are evaluated
 * @param awaitsSince when the wait for a token began
 */
export async function findKnownPurchase(
  purchase: Purchase,
  { at, awaitsSince }: { readonly at: Date; readonly awaitsSince: Date },
  deps: AwardDeps,
): Promise<KnownPurchase> {
  const { campaigns } = await deps.campaigns.offeredWithTokens(purchase.merchantId, at);
  const known = toKnownPurchase(purchase);
  if (!haveSeveralPrograms(campaigns)) return known;
  const found = await deps.claims.findUnder(
    campaigns.map(({ id }) => id),
    purchase,
  );
  const now = deps.now();
  for (const token of found.filter((claim) => isEarning(claim) && claim.state === 'ISSUED')) {
    if (isAwaited(token, awaitsSince, now)) throw new TokenAwaitedError(purchase.externalTransactionId);
    await cancelClaim(token, now, deps);
  }
  return { ...known, partnerId: known.partnerId ?? earnedProgramOf(found) };
}

/** One run over a reward event: the event's record as written so far, and the results of token look-ups. */
class AwardRun<Item extends Finalizable> {
  readonly #event: AwardableEvent<Item>;
  readonly #deps: AwardDeps;
  readonly #withClaim: (record: Item, claim: AwardClaim, now: Date) => Item;
  #record: Item;
  #wasRewardedBefore = false;
  /** Campaigns for which a look-up found no claim of the event. */
  readonly #unclaimed = new Set<number>();
  /** The program in which the purchase has earned; looked up only after a {@link ProgramConflictError}. */
  #earnedPartnerId: number | undefined;

  constructor(event: AwardableEvent<Item>, deps: AwardDeps) {
    this.#event = event;
    this.#deps = deps;
    this.#withClaim = event.withClaim ?? withTransactions;
    this.#record = event.record;
  }

  /**
   * Decides and writes the awards one after the other, because each award changes the event's record. Throws a failure
   * only after every award was tried.
   *
   * @throws LimitConflictError when other writers used the limits meanwhile: the decision has to be made again
   */
  async awardAll(earner: Earner): Promise<AwardedEvent<Item>> {
    const partnerId = this.#earnedPartnerId;
    const event = { ...this.#event.event, ...(partnerId !== undefined && { partnerId }) };
    const { awards, limited, rejection } = decideAwards(earner, event);
    const failures: unknown[] = [];
    const attempt = (step: () => Promise<void>) => step().catch((error: unknown) => failures.push(error));

    for (const decided of awards) await attempt(() => this.#awardOne(earner, decided));
    for (const campaignId of limited) await attempt(() => this.#checkOwnToken(campaignId));

    const conflict = failures.find((error) => error instanceof LimitConflictError);
    if (failures.length > 0) throw conflict ?? failures[0];
    return { record: this.#record, rejection, wasRewardedBefore: this.#wasRewardedBefore };
  }

  /** Writes one award, or continues from the claim that exists already. */
  async #awardOne(earner: Earner, decided: DecidedReward): Promise<void> {
    try {
      await this.#writeAward(earner, decided);
    } catch (error) {
      if (error instanceof ProgramConflictError) return this.#leaveProgram(error);
      if (!(error instanceof ClaimConflictError) || !error.claim) throw error;
      if (isAwardOf(error.claim, this.#event.basis)) await this.#adoptClaim(error.claim);
      else this.#wasRewardedBefore = true;
    }
  }

  async #writeAward({ member, isOneOfSeveral }: Earner, decided: DecidedReward): Promise<void> {
    const { config, nextIds, nextUuid, random, transactions } = this.#deps;
    const { basis, writesFor } = this.#event;
    const now = this.#deps.now();
    const token = authenticationIdOf({ ...basis, campaignId: decided.campaign.id }, config.stage, random(16));
    const reservation = award({ ...basis, member, isOneOfSeveral, now }, decided, token, nextIds);
    const record = this.#withClaim(this.#record, reservation.claim, now);
    await transactions.award(reservation, writesFor(record), { now, nextUuid });
    this.#record = withNextRevision(record);
  }

  /**
   * Continues after an award could not be written, because the purchase belongs to another program. If the purchase has
   * earned in that program, it stays there. Tokens of that program for which the event waits no longer are cancelled.
   * {@link findKnownPurchase} does not find the tokens of a campaign that ended before the event by more than the
   * validity period of a token.
   *
   * @throws ProgramConflictError while the event waits for a token of the other program
   * @throws LimitConflictError otherwise: the decision is made again
   */
  async #leaveProgram(conflict: ProgramConflictError): Promise<void> {
    const { basis } = this.#event;
    const now = this.#deps.now();
    const claims = await this.#deps.claims.findUnder(conflict.campaignIds, basis);
    if (claims.some((claim) => isAwaited(claim, this.#event.awaitsSince ?? now, now))) throw conflict;
    for (const token of claims.filter(({ state }) => state === 'ISSUED')) await cancelClaim(token, now, this.#deps);
    this.#earnedPartnerId = earnedProgramOf(claims);
    throw new LimitConflictError();
  }

  /**
   * After limits prevented an award, looks for a token of the same purchase: this token may have used the limits. If
   * the first look-up finds no claim, the member is read again and the decision is made again: a token that used the
   * limits may have ended after the member was read.
   *
   * @throws LimitConflictError when the decision has to be made again
   */
  async #checkOwnToken(campaignId: number): Promise<void> {
    const { basis } = this.#event;
    // Only purchases have tokens.
    if ((basis.kind ?? 'PURCHASE') !== 'PURCHASE') return;
    const claim = await this.#deps.claims.find({ ...basis, campaignId });
    if (claim) return this.#adoptClaim(claim);
    if (this.#unclaimed.has(campaignId)) return;
    this.#unclaimed.add(campaignId);
    throw new LimitConflictError();
  }

  /**
   * Continues from an existing claim. Records the transactions of a spent claim. Cancels a token for which the event
   * waits no longer.
   *
   * @throws Error while the event waits for the token
   * @throws LimitConflictError after a token was cancelled: its reservation is released, so the decision is made again
   */
  async #adoptClaim(claim: AwardClaim): Promise<void> {
    const now = this.#deps.now();
    if (claim.state === 'SPENT') {
      this.#record = this.#withClaim(this.#record, claim, now);
      return;
    }
    // The member may still spend this token. The event waits for it, but at most as long as a token is valid: renewing
    // the token does not prolong the wait.
    if (isAwaited(claim, this.#event.awaitsSince ?? now, now)) throw new TokenAwaitedError(claim.externalTransactionId);
    await cancelClaim(claim, now, this.#deps);
    throw new LimitConflictError();
  }
}
