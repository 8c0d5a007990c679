import { maximumAttempts } from '../contracts/limits.ts';
import { type AwardClaim, isLive, rewardIdsOf } from '../domain/award/claim.ts';
import { type AwardRejection, type AwardRequest, decideAwards, type Earner } from '../domain/award/decide-awards.ts';
import { afterChange, type Finalizable, withTransactions } from '../domain/award/finalization.ts';
import { award, type DecidedReward } from '../domain/award/reservation.ts';
import type { Partnership } from '../domain/partnership.ts';
import { AwardClaims, authenticationIdOf } from '../store/award/claims.ts';
import { Campaigns } from '../store/campaign/campaigns.ts';
import { ClaimConflictError, LimitConflictError } from '../store/ledger/conflicts.ts';
import { Transactions } from '../store/ledger/transactions.ts';
import { Members } from '../store/member/members.ts';
import type { Write } from '../store/table/items.ts';
import type { OperationDeps, Stores } from './deps.ts';

/**
 * How whatever happens is rewarded without anybody asking for it: orders, trigger events, registrations,
 * referrals. Every award is one write, and its place says that it was given; so a run may be repeated
 * from wherever an earlier one ended.
 */

/** The repositories that awarding works with. */
export const awardingStores = {
  campaigns: Campaigns,
  members: Members,
  claims: AwardClaims,
  transactions: Transactions,
};
export type Awarding = OperationDeps & Stores<typeof awardingStores>;

/** Something to be rewarded. */
export interface ToAward<Thing extends Finalizable> extends AwardRequest {
  /** Who is rewarded, and what by that was not over at an instant; read anew for every decision. */
  readonly earner: (at: Date) => Promise<Earner>;
  /** What tells of it: it remembers each award, in the award's own write. */
  readonly thing: Thing;
  /** The writes of the thing as it is to be. */
  readonly changesOf: (thing: Thing) => readonly Write[];
}

/** What became of it: the thing as it is written, and why it earned nothing if it did not. */
export interface Awarded<Thing> {
  readonly thing: Thing;
  readonly rejection: AwardRejection;
}

/** Who may earn by something, and under what. */
export interface EarnerQuery {
  readonly userId: number;
  readonly merchantId: number;
  /** Which partnerships of the merchant count; all of them unless said. */
  readonly under?: (partnership: Partnership) => boolean;
}

/** Gathers everything that a decision depends on, in one round trip. @throws when there is no such user */
export async function loadEarner(
  { userId, merchantId, under }: EarnerQuery,
  at: Date,
  deps: Awarding,
): Promise<Earner> {
  const [member, { campaigns, partnerships }] = await Promise.all([
    deps.members.find(userId),
    deps.campaigns.offeredBy(merchantId, at),
  ]);
  if (!member) throw new Error(`there is no user ${userId}`);
  // A campaign counts as far as its partnership does.
  return { member, campaigns, partnerships: under ? partnerships.filter(under) : partnerships };
}

/**
 * Writes every award of something; what a lost race for a limit leaves is decided about anew. An award that
 * cannot be written keeps no other campaign's from being given.
 *
 * @throws when the user is not known, another run is faster, or a token for the same purchase may still be
 * spent; to try again later goes on from here
 */
export async function awardAll<Thing extends Finalizable>(
  toAward: ToAward<Thing>,
  deps: Awarding,
): Promise<Awarded<Thing>> {
  let { thing } = toAward;
  const withoutToken = new Set<number>();
  for (let round = 0; round < maximumAttempts.awardDecision; round += 1) {
    const earner = await toAward.earner(toAward.event.at);
    const { member } = earner;
    const { awards, limited, rejection } = decideAwards(earner, toAward.event);
    const steps: Step<Thing>[] = [
      ...awards.map(
        (decided): Step<Thing> =>
          (now) =>
            awardOne(now, { ...decided, member }, deps),
      ),
      ...limited.map(
        (id): Step<Thing> =>
          (now) =>
            meetOwnToken(now, { id, withoutToken }, deps),
      ),
    ];
    const { failures, ...taken } = await takeAll(steps, { ...toAward, thing });
    thing = taken.thing;
    if (failures.length === 0) return { thing, rejection };
    if (!failures.some((error) => error instanceof LimitConflictError)) throw failures[0];
  }
  throw new Error(`the limits of the user kept changing, at ${toAward.basis.externalTransactionId}`);
}

/** What is done under one campaign; gives the thing as it is then. */
type Step<Thing extends Finalizable> = (toAward: ToAward<Thing>) => Promise<Thing>;

/** One after the other, for each changes the thing; what fails is told when all the others are done. */
async function takeAll<Thing extends Finalizable>(steps: readonly Step<Thing>[], toAward: ToAward<Thing>) {
  let { thing } = toAward;
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      thing = await step({ ...toAward, thing });
    } catch (error) {
      failures.push(error);
    }
  }
  return { thing, failures };
}

/** One award, as it was decided. */
type Decided = DecidedReward & Pick<Earner, 'member'>;

/** Writes one award, or finds the one that is there already. */
async function awardOne<Thing extends Finalizable>(
  toAward: ToAward<Thing>,
  decided: Decided,
  deps: Awarding,
): Promise<Thing> {
  try {
    return await writeAward(toAward, decided, deps);
  } catch (error) {
    if (!(error instanceof ClaimConflictError) || !error.claim) throw error;
    return meet(toAward, error.claim, deps);
  }
}

/**
 * What limits leave nothing of may have been used by a token for this very purchase. Of somebody who was read
 * before the token was looked for, the use may be that of one which is gone by now: that is decided about anew.
 *
 * @throws LimitConflictError when it has to be decided about anew
 */
async function meetOwnToken<Thing extends Finalizable>(
  toAward: ToAward<Thing>,
  campaign: { readonly id: number; readonly withoutToken: Set<number> },
  deps: Awarding,
): Promise<Thing> {
  // Nothing but a purchase has tokens.
  if ((toAward.basis.kind ?? 'PURCHASE') !== 'PURCHASE') return toAward.thing;
  const claim = await deps.claims.find({ ...toAward.basis, campaignId: campaign.id });
  if (claim) return meet(toAward, claim, deps);
  if (campaign.withoutToken.has(campaign.id)) return toAward.thing;
  campaign.withoutToken.add(campaign.id);
  throw new LimitConflictError();
}

/**
 * Goes on from a purchase that is there already.
 *
 * @throws LimitConflictError when it was an expired token's: it has to be decided about anew without what that reserved
 */
async function meet<Thing extends Finalizable>(
  { thing, basis: occasion }: ToAward<Thing>,
  claim: AwardClaim,
  deps: Awarding,
) {
  const now = deps.now();
  if (claim.state === 'SPENT') return withTransactions(thing, rewardIdsOf(claim), now);
  // A token keeps what it promised: whoever holds it is answered as if there were no order.
  if (isLive(claim, now)) throw new Error(`a token for ${occasion.externalTransactionId} may still be spent`);
  await deps.transactions.expire(claim, { now, nextUuid: deps.nextUuid });
  throw new LimitConflictError();
}

async function writeAward<Thing extends Finalizable>(
  { basis: occasion, thing, changesOf }: ToAward<Thing>,
  decided: Decided,
  deps: Awarding,
): Promise<Thing> {
  const now = deps.now();
  const token = authenticationIdOf(
    { ...occasion, campaignId: decided.campaign.id },
    deps.config.stage,
    deps.random(16),
  );
  const written = award({ ...occasion, member: decided.member, now }, decided, token, deps.nextIds);
  const rewarded = withTransactions(thing, rewardIdsOf(written.claim), now);
  await deps.transactions.award(written, changesOf(rewarded), { now, nextUuid: deps.nextUuid });
  return afterChange(rewarded);
}
