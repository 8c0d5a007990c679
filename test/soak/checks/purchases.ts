import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { type ModelPurchase, type Money, moneyOf, purchasesOf, recordOf, redeemedCents } from '../purchases.ts';
import type { ModelCampaign } from '../scene.ts';
import {
  type Check,
  campaignOf,
  type End,
  isAward,
  isDone,
  isStanding,
  leftOf,
  nameOf,
  ofOneProgram,
  sum,
} from './end.ts';

/** What a purchase has earned and redeemed is what its reports come to, whatever their order. */
export const purchases: Check = {
  name: 'every purchase has earned what its reports come to',
  find: (end) =>
    purchasesOf(end).flatMap((purchase) =>
      [
        ...earnedProblems(end, purchase),
        ...redeemedProblems(end, purchase),
        ...unawardedProblems(end, purchase),
        ...programProblems(end, purchase),
      ].map((what) => `${purchase.name} of ${purchase.merchantId}: ${what}`),
    ),
};

type Unit = 'points' | 'cashbackCents';
const noMoney: Money = { bought: 0, left: 0 };
const units: readonly Unit[] = ['points', 'cashbackCents'];

/** The awards of a purchase. */
const awardsOf = ({ transactions }: End, { merchantId, externalIds }: ModelPurchase) =>
  transactions.filter(
    (one) =>
      one.type === 'EARN' &&
      one.merchantId === merchantId &&
      isAward(one) &&
      one.otherLegId === undefined &&
      one.state !== 'CANCELLED' &&
      externalIds.has(one.externalTransactionId ?? ''),
  );

function earnedProblems(end: End, purchase: ModelPurchase): string[] {
  const awards = awardsOf(end, purchase);
  const [token] = purchase.tokens;
  const [standing = awards[0]] = awards.filter((one) => isStanding(end, one));
  const programId = token?.token.purchase.campaign.partnerId ?? standing?.partnerId;
  const byCampaign = Map.groupBy(awards, ({ campaignId }) => campaignId);
  return [...byCampaign].flatMap(([campaignId, own]) => {
    const isElsewhere = own.some(({ partnerId }) => partnerId !== programId);
    const money = isElsewhere ? noMoney : moneyOf(end, purchase, campaignId);
    return units.flatMap((unit) => campaignProblems(end, own, { money, unit }));
  });
}

/** Compares what is left of all awards of a campaign with the reward of the money that is left. */
function campaignProblems(
  end: End,
  awards: readonly RewardTransaction[],
  { money, unit }: { readonly money: Money; readonly unit: Unit },
): string[] {
  const [first] = awards;
  if (!first) return [];
  const campaign = campaignOf(end, first);
  const room = unit === 'points' ? roomOf(end, awards) : Number.POSITIVE_INFINITY;
  const rewardOf = (cents: number) =>
    Math.min(
      room,
      sum(campaign.rewards(cents), (one) => one[unit]),
    );
  const target = rewardOf(money.left);
  const given = sum(awards, (one) => one[unit]);
  const arrived = sum(awards.filter(isDone), (one) => one[unit]);
  const left = sum(awards.filter(isDone), (one) => leftOf(end, one)[unit]);
  const expected = Math.min(target, arrived);
  const highest = campaign.policy === 'only_pending' ? Math.min(rewardOf(money.bought), arrived) : expected;
  const isBounded = campaign.limits.some((limit) => limit.unit === 'POINTS');
  const isRight = isRefused(end, awards) || (left >= expected && left <= highest);
  const of = awards.map(
    (one) => `${one.id} ${one.externalTransactionId} ${one.state} ${leftOf(end, one)[unit]} of ${one[unit]}`,
  );
  const name = `${campaign.name}: of ${given} ${unit} (${of.join(', ')}) for ${money.left} of ${money.bought} cents`;
  return [
    ...(isRight ? [] : [`${name}, ${left} are left, not ${expected}${highest > expected ? ` to ${highest}` : ''}`]),
    ...(given < target && !isBounded ? [`${name}, ${target - given} are missing`] : []),
  ];
}

/**
 * The points that limits left to the first award of a campaign, one of a token before others. If a payment earned on its
 * own before it named its order, this decision counts for all awards.
 */
function roomOf({ claims, snapshots }: End, awards: readonly RewardTransaction[]): number {
  const [first] = awards
    .flatMap((award) => {
      const claim = claims.find(({ rewards }) => rewards.some(({ id }) => id === award.id));
      return claim ? [{ award, claim, isOfToken: claim.orderUuid === undefined }] : [];
    })
    .toSorted(
      (one, other) =>
        Number(other.isOfToken) - Number(one.isOfToken) ||
        Date.parse(one.claim.issuedAt) - Date.parse(other.claim.issuedAt) ||
        (one.claim.rewards[0]?.id ?? 0) - (other.claim.rewards[0]?.id ?? 0),
    );
  const flows = (first && snapshots.get(first.award.snapshotId)?.flows) ?? [];
  const maximums = flows.flatMap(({ limits }) =>
    limits.filter(({ unit, bound }) => unit === 'POINTS' && bound === 'MAXIMUM'),
  );
  return Math.min(...maximums.map(({ amount, used }) => Math.max(0, amount - used)));
}

/** Whether the program refused a reversal or a restoration. Then the model does not know what is left. */
const isRefused = ({ transactions }: End, awards: readonly RewardTransaction[]) =>
  transactions.some(({ reverses, state }) => state === 'FAILED' && awards.some(({ id }) => id === reverses?.id));

function redeemedProblems(end: End, purchase: ModelPurchase): string[] {
  return purchase.redemptions.flatMap((redemption) => {
    const { claim, token } = redemption;
    const paid = end.transactions.filter(({ id }) => claim.rewards.some((reward) => reward.id === id)).filter(isDone);
    const cents = redeemedCents(end, purchase, redemption);
    return paid.flatMap((one) => {
      const [whole] = token.purchase.campaign.rewards(token.purchase.cents);
      const [reward] = token.purchase.campaign.rewards(cents);
      const left = leftOf(end, one).points;
      return [
        ...(one.points === whole?.points ? [] : [`${nameOf(one)} pays ${token.purchase.cents} cents`]),
        ...(isRefused(end, [one]) || left === reward?.points
          ? []
          : [`${nameOf(one)}: ${left} points are left for ${cents} cents, not ${reward?.points}`]),
      ];
    });
  });
}

/** A purchase earns in one program. What a payment earned in another one, before it named its order, is taken back. */
function programProblems(end: End, purchase: ModelPurchase): string[] {
  const standing = awardsOf(end, purchase).filter((one) => isStanding(end, one));
  const programs = new Set(standing.map(({ partnerId }) => partnerId));
  return programs.size > 1 ? [`it earned in the programs ${[...programs].join(', ')}`] : [];
}

/** A purchase of a linked member earns under every campaign of its program that has no limit. */
function unawardedProblems(end: End, purchase: ModelPurchase): string[] {
  const { tokens, order, sales } = purchase;
  if (!order && sales.length === 0) return [];
  const users = usersOf(end, purchase);
  const [userId] = users;
  const programs = end.scene.campaigns.map(({ partnerId }) => partnerId);
  // The customer's id at a payment platform may belong to another member by now.
  if (users.size > 1 || userId === undefined) return [];
  // Without the account of the program that the member has chosen, a purchase earns in no other program.
  const { merchantId } = purchase;
  if (programs.some((partnerId) => isUnlinked(end, { merchantId, partnerId, userId }))) return [];
  if (sales.some(({ payment }) => payment?.reason === 'several_members')) return [];
  const awarded = new Set(awardsOf(end, purchase).map(({ campaignId }) => campaignId));
  const claims = end.claims.filter(
    (one) => one.merchantId === purchase.merchantId && purchase.externalIds.has(one.externalTransactionId),
  );
  const at = reportedAt(end, purchase)[0] ?? '';
  const record = order && recordOf(end, order);
  // A payment of which nothing is left says so, even if another one shows why the purchase earned nothing.
  const rejections = sales.map(({ payment }) => payment?.rejection ?? payment?.reason);
  const reason = record?.rejection ?? (order ? undefined : rejections.find((one) => one !== 'nothing_left'));
  const named = { merchantId: purchase.merchantId, externalIds: [...purchase.externalIds], userId, reason };
  return ofOneProgram(end, named)
    .filter((campaign) => mustAward(end, campaign, purchase) && !awarded.has(campaign.id))
    .filter(({ partnerId }) =>
      end.memberships.some((one) => one.userId === userId && one.partnerId === partnerId && one.createdAt <= at),
    )
    .map(
      ({ id, name }) =>
        `it is not awarded under ${name} for ${moneyOf(end, purchase, id).left} cents: ${reason}, ${tokens.length} tokens, ${claims.length} claims`,
    );
}

/** Whether the member has unlinked the account at the merchant. Then the model does not know what came first. */
export const isUnlinked = (
  { story }: End,
  {
    merchantId,
    partnerId,
    userId,
  }: { readonly merchantId: number; readonly partnerId: number; readonly userId: number },
) =>
  story.unlinks.some((one) => one.merchantId === merchantId && one.partnerId === partnerId && one.memberId === userId);

const mustAward = (end: End, { id, kind, limits, merchantId, rewards }: ModelCampaign, purchase: ModelPurchase) =>
  kind === 'earn' &&
  merchantId === purchase.merchantId &&
  limits.length === 0 &&
  rewards(moneyOf(end, purchase, id).left).some(({ points, cashbackCents }) => points + cashbackCents > 0);

/** The members who made a purchase, by its reports. */
export function usersOf(end: End, { tokens, order, sales, redemptions }: ModelPurchase): ReadonlySet<number> {
  const { scene, story, memberships } = end;
  const customers = sales.flatMap(({ sale, payment }) => {
    const { externalId, merchant } = sale;
    // Persons link their accounts at the first merchant.
    const isLinkable = merchant === scene.merchants[0];
    const linked = story.connects.find((one) => isLinkable && one.externalId === externalId)?.memberId;
    const member = scene.members.find((one) => one.externalId === externalId);
    const id = member?.id ?? memberships.find((one) => one.externalId === linked)?.userId;
    return [id, payment?.userId];
  });
  const others = [...tokens, ...redemptions].map(({ token }) => token.purchase.member.id);
  return new Set([...others, order?.member.id, ...customers].filter((id) => id !== undefined));
}

/** The times of a purchase's reports, the earliest first. ISO 8601. */
export function reportedAt(end: End, { tokens, order, sales }: ModelPurchase): string[] {
  const record = order && recordOf(end, order);
  return [
    ...tokens.map(({ claim }) => claim.issuedAt),
    ...(record ? [record.createdAt] : []),
    // Stripe states whole seconds: such a payment counts at the end of its second. A test payment that arrives much later
    // counts at its arrival.
    ...sales.flatMap(({ sale, payment }) => [
      ...sale.captures.flatMap(({ at }) => [at, at - (at % 1_000) + 999]).map((at) => new Date(at).toISOString()),
      ...[payment?.createdAt, payment?.countsAt].filter((at) => at !== undefined),
    ]),
  ].toSorted();
}
