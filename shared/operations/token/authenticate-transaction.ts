import { createHash } from 'node:crypto';
import {
  type AwardClaim,
  type DecidedReward,
  decideReissue,
  earnedProgramOf,
  isLive,
  reserve,
} from '../../domain/award/claim.ts';
import {
  type AuthenticationRequest,
  authenticate,
  haveSeveralPrograms,
  type RefusedAuthentication,
  type RunningCampaign,
  selectCampaign,
} from '../../domain/award/decide-awards.ts';
import {
  type AuthenticationRefusal,
  type RefusalReason,
  refusalReasons,
  refusedAttempt,
  statusOfRefusal,
} from '../../domain/award/refusal.ts';
import { forcedRefusal } from '../../domain/award/test-identities.ts';
import { blockOf, seenAt } from '../../domain/member/member.ts';
import { describePurchase, type PurchaseDetails } from '../../domain/order/purchase-details.ts';
import { newPurchase, toKnownPurchase } from '../../domain/purchase/purchase.ts';
import { AwardClaims, authenticationIdOf } from '../../store/award/claims.ts';
import { RefusedAttempts, refusedAuthenticationId } from '../../store/award/refused-attempts.ts';
import { Campaigns } from '../../store/campaign/campaigns.ts';
import {
  ClaimConflictError,
  InsufficientPointsError,
  LimitConflictError,
  ProgramConflictError,
  TransactionConflictError,
  Transactions,
} from '../../store/ledger/transactions.ts';
import { Members } from '../../store/member/members.ts';
import { SpendCounter } from '../../store/member/spend.ts';
import { ConditionFailedError } from '../../store/table/table-client.ts';
import type { Deps, Replying } from '../operation.ts';
import { type Conflict, decideAndWrite } from '../operation.ts';
import { cancelClaim, loadAccountsOf } from './cancel-claim.ts';

export const authenticateTransactionStores = {
  campaigns: Campaigns,
  members: Members,
  claims: AwardClaims,
  refusedAttempts: RefusedAttempts,
  spend: SpendCounter,
  transactions: Transactions,
};
type TokenDeps = Deps<typeof authenticateTransactionStores> & Replying<TokenOutcome>;

/** A purchase that a member wants to make at a merchant. */
export type TokenRequest = Pick<
  AuthenticationRequest,
  'merchantId' | 'campaignId' | 'partnerId' | 'externalTransactionId' | 'amountCents'
> & { readonly userId: number; readonly details?: PurchaseDetails };

/**
 * The result of endpoint 1. A refusal is a result too, not an error (specification, "Errors", 7). The
 * `authenticationId` of a refusal cannot be spent.
 */
export interface TokenOutcome {
  readonly status: 'AUTHENTICATED' | AuthenticationRefusal;
  readonly authenticationId: string;
  /** Why the request was refused, as a code and in a sentence; absent with AUTHENTICATED. */
  readonly refusal?: { readonly reason: RefusalReason; readonly message: string };
}

/**
 * Issues a transaction token and reserves the rewards of its campaign. The new token may replace an earlier token of
 * the same purchase. A refused request is stored with its reason before the caller receives the reply.
 *
 * @throws ContentionError when other requests of the member keep using the same limits
 */
export async function authenticateTransaction(request: TokenRequest, deps: TokenDeps): Promise<TokenOutcome> {
  const loaded = await loadRequest(request, deps);
  if (!loaded) return refuse(deps, request, { refused: 'user_does_not_exist' });
  const forced = forcedRefusal(loaded.request.member, { merchantId: request.merchantId, stage: deps.config.stage });
  if (forced) return refuse(deps, request, { refused: forced });

  const repeated = loaded.existing && (await answerRepetition(deps, loaded.request, loaded.existing));
  if (repeated) return repeated;
  const running = selectCampaign(loaded.request);
  if ('refused' in running) return refuse(deps, request, running);

  const first: TokenState = { ...loaded, running, isClaimReadFirst: false };
  return decideAndWrite<TokenState, TokenOutcome>(
    {
      subject: `the claim or the limits of user ${request.userId}`,
      load: (conflict) => (conflict ? resume(deps, conflict) : first),
      write: (state) => decide(deps, state),
      conflicts: [
        ClaimConflictError,
        LimitConflictError,
        TransactionConflictError,
        ConditionFailedError,
        OutdatedStateError,
      ],
    },
    deps,
  );
}

/**
 * Loads everything that the decision depends on, in one round trip; undefined if the user does not exist. At a merchant
 * with several programs, a purchase that was reported before needs one more round trip: the purchase may have earned in
 * another program.
 */
async function loadRequest({ userId, details, ...asked }: TokenRequest, deps: TokenDeps) {
  const { merchantId, campaignId, externalTransactionId } = asked;
  const now = deps.now();
  const [member, offered, purchase, existing] = await Promise.all([
    deps.members.find(userId),
    deps.campaigns.offeredWithTokens(merchantId, now),
    deps.spend.find({ merchantId, externalTransactionId }),
    // The key of a claim contains the campaign. If the request names no campaign, the later write finds the claim and
    // reports a conflict.
    campaignId === undefined ? undefined : deps.claims.find({ merchantId, campaignId, externalTransactionId }),
  ]);
  if (!member) return undefined;
  const { paidCents, countedCents, partnerId } = toKnownPurchase(purchase ?? newPurchase(asked));
  const isOneOfSeveral = haveSeveralPrograms(offered.campaigns);
  const mayHaveEarned = purchase?.spent !== undefined && isOneOfSeveral;
  const campaignIds = offered.campaigns.map(({ id }) => id);
  const earnedPartnerId =
    partnerId ?? (mayHaveEarned ? earnedProgramOf(await deps.claims.findUnder(campaignIds, asked)) : undefined);
  const request: AuthenticationRequest = {
    ...asked,
    ...digested(details),
    ...offered,
    paidCents,
    countedCents,
    earnedPartnerId,
    isOneOfSeveral,
    member: seenAt(member, merchantId, now),
    now,
  };
  return { request, existing };
}

/**
 * The details of a purchase, and their digest. Campaigns may reward other details differently. So a repeated request
 * with other details must not get the same token.
 */
function digested(details: PurchaseDetails | undefined): Pick<AuthenticationRequest, 'details' | 'detailsDigest'> {
  const described = details && describePurchase(details);
  if (!described || Object.keys(described).length === 0) return {};
  const { items = [], attributes = {} } = described;
  const sorted = Object.entries(attributes).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const digest = createHash('sha256')
    .update(JSON.stringify([items, sorted]))
    .digest('base64url')
    .slice(0, 22);
  return { details: described, detailsDigest: digest };
}

/** Everything that the decision about a token depends on. */
interface TokenState {
  readonly request: AuthenticationRequest;
  readonly running: RunningCampaign;
  /** The purchase's claim, if there is one. */
  readonly existing: AwardClaim | undefined;
  /** Whether the claim was read before the member. Then the member's limit usage contains the charges of the claim. */
  readonly isClaimReadFirst: boolean;
}

/** The claim has changed since the decision read it. */
class OutdatedStateError extends Error {
  override readonly name = 'OutdatedStateError';
}

/**
 * Returns the state for the next decision. The error of the first conflict may contain what changed; otherwise the
 * state is loaded again.
 */
function resume(deps: TokenDeps, { state, error, round }: Conflict<TokenState>): TokenState | Promise<TokenState> {
  if (round === 1 && error instanceof ClaimConflictError) {
    return { ...state, existing: error.claim, isClaimReadFirst: false };
  }
  // A generated id was taken already. The next round generates other ids.
  if (round === 1 && error instanceof ConditionFailedError) return state;
  return reload(deps, state);
}

/** Loads the claim before the member, so the member's limit usage contains the claim's charges. */
async function reload({ claims, members }: TokenDeps, state: TokenState): Promise<TokenState> {
  const { request, running } = state;
  const existing = await claims.find({ ...request, campaignId: running.campaign.id });
  const found = await members.find(request.member.user.id);
  const member = found ? seenAt(found, request.merchantId, request.now) : request.member;
  return { ...state, existing, request: { ...request, member }, isClaimReadFirst: true };
}

async function decide(deps: TokenDeps, state: TokenState): Promise<TokenOutcome> {
  const { request, running, existing } = state;
  const repeated = existing && (await answerRepetition(deps, request, existing));
  if (repeated) return repeated;
  const decided = authenticate(request, running, existing);
  return 'refused' in decided ? confirmRefusal(deps, state, decided) : writeToken(deps, state, decided);
}

/**
 * Loads the claim of a refused purchase again. An earlier token of the same purchase may have used the limits that
 * cause the refusal. So a refusal counts only if it was decided from the present claim.
 *
 * @throws OutdatedStateError when the claim changed: the decision is made again
 */
async function confirmRefusal(
  deps: TokenDeps,
  { request, running, existing, isClaimReadFirst }: TokenState,
  refusal: RefusedAuthentication,
): Promise<TokenOutcome> {
  const asked = { ...request, userId: request.member.user.id, campaignId: running.campaign.id };
  const isUnseen = existing === undefined && request.campaignId === undefined;
  if (!isUnseen && !refusal.isByLimit) return refuse(deps, asked, refusal);
  const present = await deps.claims.find({ ...request, campaignId: running.campaign.id });
  const isUnchanged = present?.authenticationId === existing?.authenticationId && present?.state === existing?.state;
  if (isUnchanged && (isClaimReadFirst || present === undefined)) return refuse(deps, asked, refusal);
  const repeated = present && (await answerRepetition(deps, request, present));
  if (repeated) return repeated;
  throw new OutdatedStateError();
}

async function writeToken(
  deps: TokenDeps,
  { request, existing }: TokenState,
  decided: DecidedReward,
): Promise<TokenOutcome> {
  const { config, transactions, nextIds, nextUuid, random } = deps;
  const token = authenticationIdOf({ ...request, campaignId: decided.campaign.id }, config.stage, random(16));
  const outcome: TokenOutcome = { status: 'AUTHENTICATED', authenticationId: token };
  const context = { now: request.now, nextUuid, replyWrites: deps.replyWrites?.(outcome) };
  const reservation = reserve({ ...request, replaced: existing }, decided, token, nextIds);
  try {
    if (existing) {
      const { user, memberships } = request.member;
      const accounts = existing.userId === user.id ? memberships : await loadAccountsOf(existing, deps);
      await transactions.replace({ claim: existing, accounts }, reservation, context);
    } else await transactions.reserve(reservation, context);
    return outcome;
  } catch (error) {
    const { decision, campaign } = decided;
    const asked = { ...request, userId: request.member.user.id, campaignId: campaign.id };
    // Other reservations took the points meanwhile, so the balance that was read is outdated.
    if (error instanceof InsufficientPointsError) {
      return refuse(deps, asked, { refused: 'insufficient_points', decision });
    }
    if (!(error instanceof ProgramConflictError)) throw error;
    await leaveProgram(deps, request, error);
    return refuse(deps, asked, { refused: 'transaction_already_exists', decision });
  }
}

/**
 * Cancels the expired tokens that tie a purchase to another program than the request's. A purchase earns in one program
 * only: it stays in the other program if it has earned there, or has a live token there.
 *
 * @throws OutdatedStateError when no such token is left: the decision is made again
 */
async function leaveProgram(
  deps: TokenDeps,
  request: AuthenticationRequest,
  { campaignIds }: ProgramConflictError,
): Promise<void> {
  const claims = await deps.claims.findUnder(campaignIds, request);
  if (claims.some((claim) => claim.state === 'SPENT' || isLive(claim, request.now))) return;
  for (const claim of claims) {
    await cancelClaim(claim, request.now, deps).catch((error: unknown) => {
      throw error instanceof ClaimConflictError ? new OutdatedStateError() : error;
    });
  }
  throw new OutdatedStateError();
}

/** Answers a repeated request. Returns undefined if a new reservation has to replace the existing one. */
async function answerRepetition(
  deps: TokenDeps,
  request: AuthenticationRequest,
  existing: AwardClaim,
): Promise<TokenOutcome | undefined> {
  const { member, amountCents, detailsDigest, now } = request;
  const { authenticationId, campaignId } = existing;
  const userId = member.user.id;
  switch (decideReissue(existing, { userId, amountCents, detailsDigest, now })) {
    case 'same-token':
      // A block cancels the token, so the token is not issued again. The decision that follows refuses the request
      // because of the block.
      if (existing.rewards.some(({ partnerId }) => blockOf(member, partnerId))) return undefined;
      return { status: 'AUTHENTICATED', authenticationId };
    case 'refused': {
      const refused = 'transaction_already_exists';
      // The reply contains the member's own token, although it was spent: endpoint 2 then replies that the transaction
      // exists. The reply never contains another member's token.
      if (existing.userId === userId) return refusedOutcome(refused, authenticationId);
      return refuse(deps, { ...request, userId, campaignId }, { refused });
    }
    case 'replace':
      return undefined;
  }
}

/** Refuses a request, and stores the attempt with the reason, so that an operator can explain the refusal. */
async function refuse(
  { refusedAttempts, config, log, now }: TokenDeps,
  request: Omit<TokenRequest, 'details'>,
  { refused: reason, decision, cost }: RefusedAuthentication,
): Promise<TokenOutcome> {
  const { merchantId, externalTransactionId, userId, amountCents, campaignId, partnerId } = request;
  const asked = { merchantId, externalTransactionId, userId, amountCents, campaignId, partnerId, reason };
  const authenticationId = refusedAuthenticationId(asked, config.stage);
  log.info('authentication refused', { status: statusOfRefusal(reason), reason });
  const refusedAt = now().toISOString();
  await refusedAttempts.keep(
    refusedAttempt({ ...asked, authenticationId, ...(cost && { cost }), refusedAt }, decision),
  );
  return refusedOutcome(reason, authenticationId);
}

function refusedOutcome(reason: RefusalReason, authenticationId: string): TokenOutcome {
  return {
    status: statusOfRefusal(reason),
    authenticationId,
    refusal: { reason, message: refusalReasons[reason] },
  };
}
