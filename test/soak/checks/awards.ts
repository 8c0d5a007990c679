import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { recordOf } from '../purchases.ts';
import type { ModelCampaign } from '../scene.ts';
import { type Check, decisionsOf, isAward, isDone, modelReward, nameOf, type TriggerEventItem } from './end.ts';
import { isUnlinked } from './purchases.ts';

/** Checks that both programs keep the velocity rules of the scene. */
export const velocity: Check = {
  name: 'no velocity rule is exceeded without a review',
  find: ({ transactions, scene }) => {
    const posted = transactions.filter(
      ({ type, reverses, otherLegId, review, state }) =>
        type === 'EARN' && !reverses && otherLegId === undefined && !review && isPosted(state),
    );
    const byHour = Map.groupBy(posted, (one) => `${one.userId} ${one.partnerId} ${one.createdAt.slice(0, 13)}`);
    return [...byHour]
      .filter(([, own]) => own.length > scene.rewardsPerHour)
      .map(([name, own]) => `${name}: ${own.map(nameOf).join(', ')}`);
  },
};

const isPosted = (state: string) => ['COMPLETED', 'FAILED', 'ERROR', 'REVERSED'].includes(state);

/** Makes a key from a transaction's event and action. No two transactions may have the same key. */
function awardKey({ merchantId, campaignId, actionId, type, ...more }: RewardTransaction): string | undefined {
  const { externalTransactionId, triggerEvent, isRegistration, userId } = more;
  const event =
    externalTransactionId ?? triggerEvent?.uuid ?? (isRegistration ? `the registration of ${userId}` : undefined);
  return event && [merchantId, campaignId, event, actionId, type].join(' ');
}

export const uniqueAwards: Check = {
  name: 'no event is awarded twice',
  find: ({ transactions, claims }) => {
    const given = transactions.filter((one) => isAward(one) && !one.growthOf && one.state !== 'CANCELLED');
    const doubled = [...Map.groupBy(given, awardKey)].filter(([key, own]) => key !== undefined && own.length > 1);
    const claimed = Map.groupBy(claims, ({ merchantId, campaignId, externalTransactionId, kind }) =>
      [merchantId, campaignId, externalTransactionId, kind].join(' '),
    );
    return [
      ...doubled.map(([key, own]) => `${key}: ${own.map(nameOf).join(', ')}`),
      ...[...claimed].filter(([, own]) => own.length > 1).map(([key]) => `two claims of ${key}`),
    ];
  },
};

/** What a purchase earns and redeems has a check of its own. */
export const amounts: Check = {
  name: 'every award of an event, and every transfer, has the amount of the model',
  find: (end) =>
    decisionsOf(end)
      .filter(({ campaign }) => campaign.kind !== 'earn' && campaign.kind !== 'pay')
      .flatMap((decision) =>
        decision.awards.flatMap((award) => {
          const model = modelReward(decision, award);
          if (award.points === model?.points && award.cashbackCents === model.cashbackCents) return [];
          return [`${nameOf(award)}: expected ${model?.points} points ${model?.cashbackCents} cents`];
        }),
      ),
};

/** Every transaction in an answer to a client exists and was posted; the program may have rejected it. */
export const acknowledged: Check = {
  name: 'every confirmed purchase is in the table',
  find: ({ story, transactions }) =>
    story.tokens.flatMap(({ purchase, transactionIds }) =>
      transactionIds.flatMap((id) => {
        const found = transactions.find((one) => one.id === id);
        const isThere = found && (isDone(found) || found.state === 'FAILED') && found.userId === purchase.member.id;
        return isThere ? [] : [`${purchase.externalId}: transaction ${id} is ${found ? nameOf(found) : 'absent'}`];
      }),
    ),
};

export const orders: Check = {
  name: 'every confirmed order is in the table',
  find: (end) =>
    end.story.orders.flatMap((placed) => {
      const order = recordOf(end, placed);
      if (placed.id !== order?.uuid && placed.id !== undefined) return [`order ${placed.externalId} is absent`];
      const isSame = order === undefined || order.totalCents === placed.totalCents;
      return isSame ? [] : [`order ${placed.externalId} has another total`];
    }),
};

export const triggers: Check = {
  name: 'every trigger event is recorded and awarded once',
  find: (end) =>
    end.story.triggers.flatMap(({ name, sends, eventIds, campaign, member }) => {
      const recorded = end.triggerEvents.filter((event) => isNamed(event, name));
      const isLinked = end.memberships.some(
        ({ userId, partnerId, createdAt }) =>
          userId === member.id &&
          !isUnlinked(end, { ...campaign, userId }) &&
          partnerId === campaign.partnerId &&
          createdAt <= (recorded[0]?.receivedAt ?? ''),
      );
      return [
        ...(recorded.length > sends ? [`${name} was recorded ${recorded.length} times after ${sends} requests`] : []),
        ...[...eventIds].filter((id) => !recorded.some(({ uuid }) => uuid === id)).map((id) => `${name} lacks ${id}`),
        ...recorded
          .filter(() => isLinked && campaign.limits.length === 0)
          .filter(({ uuid }) => !end.transactions.some(({ triggerEvent }) => triggerEvent?.uuid === uuid))
          .map(({ uuid }) => `${name}: ${uuid} is not awarded`),
      ];
    }),
};

/** Requests with the same idempotency key take effect once, even if their answers were lost. */
export const keyed: Check = {
  name: 'an idempotency key makes one trigger event',
  find: ({ story, triggerEvents }) =>
    story.triggers.flatMap(({ name, hasKey, sends }) => {
      const own = triggerEvents.filter((event) => isNamed(event, name));
      return hasKey && own.length > 1 ? [`${name} was recorded ${own.length} times after ${sends} requests`] : [];
    }),
};

const isNamed = ({ contextJson }: TriggerEventItem, name: string) => Object(JSON.parse(contextJson)).name === name;

/** A person who links an account is rewarded once for the registration, and a linked referrer for the referral. */
export const links: Check = {
  name: 'every link is rewarded once',
  find: (end) =>
    end.story.connects.flatMap(({ memberId, referrerExternalId }) => {
      const { scene, story, memberships, transactions } = end;
      const membership = memberships.find(({ externalId }) => externalId === memberId);
      if (!membership) return [];
      const count = (kind: ModelCampaign['kind'], userId: number) => {
        const ids = scene.campaigns.filter((one) => one.kind === kind).map(({ id }) => id);
        return transactions.filter((one) => ids.includes(one.campaignId) && one.userId === userId && isAward(one))
          .length;
      };
      const referrer = scene.members.find(({ externalId }) => externalId === referrerExternalId);
      const [merchant] = scene.merchants;
      const isReferrerLinked = memberships.some(
        ({ userId, partnerId, createdAt }) =>
          userId === referrer?.id &&
          !isUnlinked(end, { merchantId: merchant?.id ?? 0, partnerId, userId }) &&
          partnerId === membership.partnerId &&
          createdAt <= membership.createdAt,
      );
      const wanted = story.connects.filter((one) => one.referrerExternalId === referrerExternalId).length;
      const referrals = referrer && isReferrerLinked ? count('referral', referrer.id) : 0;
      return [
        ...(count('registration', membership.userId) === 1
          ? []
          : [`${memberId} has ${count('registration', membership.userId)} awards for its registration`]),
        ...(referrer && isReferrerLinked && (referrals < 1 || referrals > wanted)
          ? [`${referrerExternalId} has ${referrals} awards for ${wanted} members`]
          : []),
      ];
    }),
};
