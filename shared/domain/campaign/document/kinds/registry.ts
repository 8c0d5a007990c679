import { awardCashback, awardPoints, redeemPoints, transferPoints } from './actions.ts';
import { geography } from './conditions/geography.ts';
import {
  customAttribute,
  customerStatusCondition,
  customNumber,
  timeElapsed,
  totalSpend,
} from './conditions/member.ts';
import { basketSize, containsItem, item } from './conditions/purchase.ts';
import { schedule } from './conditions/schedule.ts';
import { pointsEarned, pointsRedeemed, registrations } from './goals.ts';
import { transactionLimit, userLimit } from './limits.ts';
import { customerStatus, variable } from './multipliers.ts';

/** Every kind of campaign part. To add one, declare it in the file of its subject and list it here. */

export const conditionKinds = [
  geography,
  totalSpend,
  basketSize,
  timeElapsed,
  customAttribute,
  item,
  containsItem,
  customNumber,
  customerStatusCondition,
  schedule,
] as const;
export const actionKinds = [awardPoints, redeemPoints, awardCashback, transferPoints] as const;
export const multiplierKinds = [customerStatus, variable] as const;
export const limitKinds = [transactionLimit, userLimit] as const;
/** Facts contain triggers, and load no other kind: so triggers.ts lists the kinds of triggers. */
export { triggerKinds } from './triggers.ts';
export const goalKinds = [registrations, pointsEarned, pointsRedeemed] as const;
