import { type FieldForm, inForms, type KindForm } from './form.ts';
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
  readonly form: KindForm<'target'>;
}

const members: FieldForm = inForms({ label: 'Target', quantity: 'count' });
const points: FieldForm = inForms({ label: 'Target', quantity: 'points' });

const defineGoal = <const Name extends string>(kind: GoalKind<Name>) => kind;

/** Members who linked an account. */
export const registrations = defineGoal({
  name: 'REGISTRATIONS',
  code: 1,
  campaignTypes: ['EARN', 'REDEEM', 'CONNECT_ONLY', 'TRANSFER'],
  current: (totals) => totals.registrations,
  examples: inForms([{ part: { type: 'REGISTRATIONS', target: 500 }, note: 'members who link an account' }]),
  form: inForms({ label: 'Registrations', help: 'Counts members who link an account.', fields: { target: members } }),
});

export const pointsEarned = defineGoal({
  name: 'POINTS_EARNED',
  code: 2,
  campaignTypes: ['EARN', 'TRANSFER'],
  current: ({ earnedPoints }) => earnedPoints,
  examples: inForms([{ part: { type: 'POINTS_EARNED', target: 1_000_000 }, note: 'EARN and TRANSFER only' }]),
  form: inForms({ label: 'Points earned', help: 'Counts the points that members earn.', fields: { target: points } }),
});

export const pointsRedeemed = defineGoal({
  name: 'POINTS_REDEEMED',
  code: 3,
  campaignTypes: ['REDEEM', 'TRANSFER'],
  current: ({ redeemedPoints }) => redeemedPoints,
  examples: inForms([{ part: { type: 'POINTS_REDEEMED', target: 1_000_000 }, note: 'REDEEM and TRANSFER only' }]),
  form: inForms({
    label: 'Points redeemed',
    help: 'Counts the points that members pay with.',
    fields: { target: points },
  }),
});
