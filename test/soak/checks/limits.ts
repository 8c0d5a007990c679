import { dayMs, retentionMs } from '../../../shared/contracts/limits.ts';
import { type Check, type Decision, decisionsOf, type End, isStanding, leftOf, sum } from './end.ts';

/** The day, the week (named by its Monday) or the month that contains an instant, in a time zone. */
function periodKey(period: string, at: string, timeZone: string): string {
  if (period === 'LIFETIME') return period;
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date(at));
  if (period === 'DAY') return day;
  if (period === 'MONTH') return day.slice(0, 7);
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}

export const limits: Check = {
  name: 'limits are kept, and counted right',
  find: (end) => {
    const decisions = decisionsOf(end);
    const users = [...new Set(end.memberships.map(({ userId }) => userId))];
    return end.scene.campaigns.flatMap((campaign) =>
      campaign.limits.flatMap((limit) =>
        users.flatMap((userId) => {
          const own = decisions.filter((one) => one.campaign === campaign && one.awards[0]?.userId === userId);
          const uses = own.map((one) => ({
            period: periodKey(limit.period, one.at, campaign.timeZone),
            used:
              limit.unit === 'EVENTS'
                ? Number(one.awards.some((award) => isStanding(end, award)))
                : pointsLeft(end, one),
          }));
          const name = `${limit.most} ${limit.unit} of ${campaign.name} for ${userId}`;
          const counted = end.reading.books.usage.filter(
            (one) => one.userId === userId && one.campaignId === campaign.id && one.limitId === limit.limitId,
          );
          const [total, stored] = [sum(uses, ({ used }) => used), sum(counted, ({ used }) => used)];
          // A restored reward was within the maximum when it was first given. It may exceed the maximum now.
          const isRestored = end.transactions.some(
            (one) => one.isRestoration && one.campaignId === campaign.id && one.userId === userId,
          );
          const exceeded = [...Map.groupBy(uses, ({ period }) => period)].filter(
            ([, of]) => !isRestored && sum(of, ({ used }) => used) > limit.most,
          );
          // Counters of periods that ended long ago are deleted.
          const isOld = limit.period !== 'LIFETIME' && own.some(({ at }) => isLongAgo(at));
          return [
            ...exceeded.map(([period]) => `${name} is exceeded in ${period}`),
            ...(isOld || total === stored ? [] : [`${name}: counted ${stored}, used ${total}`]),
          ];
        }),
      ),
    );
  },
};

const isLongAgo = (at: string) => Date.now() - Date.parse(at) > retentionMs.limitUsage - dayMs;

const pointsLeft = (end: End, { awards }: Decision): number =>
  sum(
    awards.filter((award) => isStanding(end, award)),
    (award) => leftOf(end, award).points,
  );
