import type { CampaignType, Kind } from './kind.ts';

/** The campaign totals for which goals can be set. */
export interface CountedTotals {
  readonly registrations: number;
  readonly earnedPoints: number;
  readonly redeemedPoints: number;
}

/** A kind of goal for the totals of a campaign. Rewards do not depend on goals. */
export interface GoalKind<Name extends string = string> extends Kind<Name> {
  /** The types of campaigns that can reach a goal of this kind. */
  readonly campaignTypes: readonly CampaignType[];
  /** The campaign's total that the goal counts. */
  current(totals: CountedTotals): number;
}

const defineGoal = <const Name extends string>(kind: GoalKind<Name>) => kind;

/** Members who linked an account. */
export const registrations = defineGoal({
  name: 'REGISTRATIONS',
  code: 1,
  campaignTypes: ['EARN', 'REDEEM', 'CONNECT_ONLY', 'TRANSFER'],
  current: (totals) => totals.registrations,
  examples: [{ part: { type: 'REGISTRATIONS', target: 500 }, note: 'members who link an account' }],
});

export const pointsEarned = defineGoal({
  name: 'POINTS_EARNED',
  code: 2,
  campaignTypes: ['EARN', 'TRANSFER'],
  current: ({ earnedPoints }) => earnedPoints,
  examples: [{ part: { type: 'POINTS_EARNED', target: 1_000_000 }, note: 'EARN and TRANSFER only' }],
});

export const pointsRedeemed = defineGoal({
  name: 'POINTS_REDEEMED',
  code: 3,
  campaignTypes: ['REDEEM', 'TRANSFER'],
  current: ({ redeemedPoints }) => redeemedPoints,
  examples: [{ part: { type: 'POINTS_REDEEMED', target: 1_000_000 }, note: 'REDEEM and TRANSFER only' }],
});
