import { maximumAttempts } from '../../../shared/contracts/limits.ts';
import {
  type AuthenticationRefusal,
  type AuthenticationRequest,
  authenticate,
  campaignMeantBy,
  type RefusedAuthentication,
  type RunningCampaign,
} from '../../../shared/domain/award/authenticate.ts';
import { type AwardClaim, repetition } from '../../../shared/domain/award/claim.ts';
import { type DecidedReward, reserve } from '../../../shared/domain/award/reservation.ts';
import { centsOfDollars } from '../../../shared/domain/money.ts';
import { type Call, endpoint } from '../../../shared/http/endpoint.ts';
import { logger } from '../../../shared/runtime/log.ts';
import { AwardClaims, authenticationIdOf, unusableAuthenticationId } from '../../../shared/store/award/claims.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import {
  ClaimConflictError,
  InsufficientPointsError,
  LimitConflictError,
} from '../../../shared/store/ledger/conflicts.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { Members } from '../../../shared/store/member/members.ts';
import { ConditionFailedError, ContentionError } from '../../../shared/store/table/items.ts';
import { contract } from './contract.ts';

const statuses = { AUTHENTICATED: 1, INSUFFICIENT_REWARDS_AMOUNT: 2, MEMBER_NOT_EXISTS: 3, ERROR: 4 } as const;

type TokenCall = Call<typeof contract, typeof stores>;

const stores = { campaigns: Campaigns, members: Members, claims: AwardClaims, transactions: Transactions };

export const handler = endpoint(contract, stores, async (call) => {
  const { platform } = call;
  const found = await requestOf(call);
  if (!found) return refused(platform, 'MEMBER_NOT_EXISTS', 'the user does not exist');

  const { request, existing } = found;
  const repeated = existing && answerFor(platform, request, existing);
  if (repeated) return repeated;

  const meant = campaignMeantBy(request);
  if ('refused' in meant) return refused(platform, meant.refused, meant.because);
  return issue(platform, { request, meant, existing, isOrdered: false });
});

/** Gathers everything that the decision depends on, in one round trip; undefined when there is no such user. */
async function requestOf({ body, caller, platform }: TokenCall) {
  const merchantId = caller.organisationId;
  const { campaign_id: campaignId, external_transaction_id: externalTransactionId } = body;
  const [member, { campaigns, partnerships }, existing] = await Promise.all([
    platform.members.find(caller.userId),
    platform.campaigns.offeredBy(merchantId, platform.now()),
    // Without a campaign it is not known yet which purchase is meant: the write will meet it.
    campaignId === undefined ? undefined : platform.claims.find({ merchantId, campaignId, externalTransactionId }),
  ]);
  if (!member) return undefined;
  const request: AuthenticationRequest = {
    member,
    merchantId,
    campaigns,
    partnerships,
    campaignId,
    partnerId: body.partner_id,
    externalTransactionId,
    amountCents: centsOfDollars(body.transaction_amount) ?? 0,
    now: platform.now(),
  };
  return { request, existing };
}

/** What one round of {@link issue} begins with. */
interface Round {
  readonly request: AuthenticationRequest;
  readonly meant: RunningCampaign;
  /** The purchase as it is, when there is one. */
  readonly existing: AwardClaim | undefined;
  /** Whether the member was read after the purchase: what the purchase uses of limits is in the member's use then. */
  readonly isOrdered: boolean;
}

/** The reply, what the next round begins with, or that it has to look anew. */
type RoundEnd =
  | { readonly reply: ReturnType<typeof authenticated> | ReturnType<typeof refused> }
  | { readonly next: Round }
  | 'look-again';

/** Decides and writes the token in place of an earlier one, or finds what another request wrote meanwhile. */
async function issue(platform: TokenCall['platform'], first: Round) {
  let round = first;
  for (let rounds = 1; rounds <= maximumAttempts.decision; rounds += 1) {
    const end = await decide(platform, round);
    if (end !== 'look-again' && 'reply' in end) return end.reply;
    // What a write met is known without a look; but whoever keeps meeting others lets them pass first.
    if (rounds > 1) await platform.table.pause(rounds);
    round = rounds === 1 && end !== 'look-again' ? end.next : await lookAgain(platform, round);
  }
  throw new ContentionError('other requests of the member kept getting in the way');
}

async function decide(platform: TokenCall['platform'], round: Round): Promise<RoundEnd> {
  const { request, meant, existing } = round;
  const repeated = existing && answerFor(platform, request, existing);
  if (repeated) return { reply: repeated };
  const decided = authenticate(request, meant, existing);
  return 'refused' in decided ? explain(platform, round, decided) : write(platform, round, decided);
}

/** The purchase, and then the member: in this order a token of the purchase is never held against itself. */
async function lookAgain(platform: TokenCall['platform'], round: Round): Promise<Round> {
  const { request, meant } = round;
  const existing = await platform.claims.find({ ...request, campaignId: meant.campaign.id });
  const member = await platform.members.find(request.member.user.id);
  return { ...round, existing, request: { ...request, member: member ?? request.member }, isOrdered: true };
}

/** A refusal may be due to a token of this very order that was not looked for, or not seen as it is. */
async function explain(
  platform: TokenCall['platform'],
  { request, meant, existing, isOrdered }: Round,
  { refused: status, because, isByLimit = false }: RefusedAuthentication,
): Promise<RoundEnd> {
  const refusal = () => ({ reply: refused(platform, status, because) });
  const isUnseen = existing === undefined && request.campaignId === undefined;
  if (!isUnseen && !isByLimit) return refusal();
  const seen = await platform.claims.find({ ...request, campaignId: meant.campaign.id });
  const isAsThought = seen?.authenticationId === existing?.authenticationId && seen?.state === existing?.state;
  if (isAsThought && (isOrdered || seen === undefined)) return refusal();
  const repeated = seen && answerFor(platform, request, seen);
  return repeated ? { reply: repeated } : 'look-again';
}

async function write(platform: TokenCall['platform'], round: Round, decided: DecidedReward): Promise<RoundEnd> {
  const { transactions, nextUuid } = platform;
  const { request, existing } = round;
  const context = { now: request.now, nextUuid };
  const reservation = newReservation(platform, request, decided);
  try {
    await (existing
      ? transactions.replace(existing, reservation, context)
      : transactions.reserve(reservation, context));
    return { reply: authenticated(reservation.claim.authenticationId) };
  } catch (error) {
    return whatItMet(platform, round, error);
  }
}

function whatItMet(platform: TokenCall['platform'], round: Round, error: unknown): RoundEnd {
  if (error instanceof ClaimConflictError) return { next: { ...round, existing: error.claim, isOrdered: false } };
  if (error instanceof InsufficientPointsError) {
    return {
      reply: refused(platform, 'INSUFFICIENT_REWARDS_AMOUNT', 'other reservations took the points meanwhile'),
    };
  }
  if (error instanceof LimitConflictError) return 'look-again';
  // An id that was taken: the next round has others.
  if (error instanceof ConditionFailedError) return { next: round };
  throw error;
}

function newReservation(platform: TokenCall['platform'], request: AuthenticationRequest, decided: DecidedReward) {
  const key = { ...request, campaignId: decided.campaign.id };
  const token = authenticationIdOf(key, platform.config.stage, platform.random(16));
  return reserve(request, decided, token, platform.nextIds);
}

/** The answer to a repeated request; undefined when its reservation is to be replaced. */
function answerFor(platform: TokenCall['platform'], request: AuthenticationRequest, existing: AwardClaim) {
  const userId = request.member.user.id;
  switch (repetition(existing, { userId, amountCents: request.amountCents, now: request.now })) {
    case 'same-token':
      return authenticated(existing.authenticationId);
    case 'refused':
      // The member's own token still says, at endpoint 2, that the transaction exists.
      return refused(
        platform,
        'ERROR',
        'the external transaction is taken',
        existing.userId === userId ? existing.authenticationId : undefined,
      );
    case 'replace':
      return undefined;
  }
}

function authenticated(authenticationId: string) {
  return { authentication_id: authenticationId, authentication_status: statuses.AUTHENTICATED };
}

/** An outcome, not an error (specification, "Errors", 7). The reason is for the operator only. */
function refused(
  platform: TokenCall['platform'],
  status: AuthenticationRefusal,
  because: string,
  authenticationId?: string,
) {
  logger().info('authentication refused', { status, because });
  return {
    authentication_id: authenticationId ?? unusableAuthenticationId(platform.config.stage, platform.random(32)),
    authentication_status: statuses[status],
  };
}
