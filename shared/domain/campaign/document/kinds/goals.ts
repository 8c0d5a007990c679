import type { CampaignType, Kind } from './kind.ts';

/** Totals of a campaign, as far as goals count them. */
export interface CountedTotals {
  readonly registrations: number;
  readonly earnedPoints: number;
  readonly redeemedPoints: number;
}

/** One thing that a campaign can aim at. No reward depends on it. */
export interface GoalKind<Name extends string = string> extends Kind<Name> {
  /** The campaign types that can reach such a goal. */
  readonly campaignTypes: readonly CampaignType[];
  /** How much of it the campaign has. */
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
