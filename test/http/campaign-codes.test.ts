import { expect, it } from 'vitest';
import { noTotals } from '../../shared/domain/ledger/totals.ts';
import { listedView } from '../../shared/http/views/campaign.ts';
import * as codes from '../../shared/http/views/campaign-codes.ts';
import { aCampaign, noon } from '../domain/fixtures.ts';

/** Wire codes are part of partners' code: a published number never changes its meaning. */
it.each<[string, Readonly<Record<string, number>>, string]>([
  ['campaign_type', codes.campaignTypeCodes, '1 EARN 2 REDEEM 3 CONNECT_ONLY 4 TRANSFER'],
  ['trigger_type', codes.triggerTypeCodes, '1 SPEND 2 REGISTRATION 3 REFERRAL 4 CUSTOM'],
  ['action_type', codes.actionTypeCodes, '1 AWARD_POINTS 2 REDEEM_POINTS 3 AWARD_CASHBACK 4 TRANSFER_POINTS'],
  [
    'campaign_condition_type',
    codes.conditionTypeCodes,
    '1 GEOGRAPHY 2 TOTAL_SPEND 3 BASKET_SIZE 4 TIME_ELAPSED 5 CUSTOM 6 ITEM 7 CONTAINS_ITEM 8 CUSTOM_NUMBER 9 CUSTOMER_STATUS 10 SCHEDULE',
  ],
  ['condition_operator', codes.operatorCodes, '1 IS_IN 2 IS_NOT_IN 3 GREATER_THAN 4 LESS_THAN'],
  ['or_and_operator', codes.logicCodes, '1 ANY 2 ALL'],
  ['multiplier_attribute_type', codes.multiplierAttributeCodes, '1 CUSTOMER_STATUS 2 VARIABLE'],
  ['limit_type', codes.limitTypeCodes, '1 TRANSACTION 2 USER'],
  ['min_max', codes.boundCodes, '1 MINIMUM 2 MAXIMUM'],
  ['campaign_limit_trigger_type', codes.limitUnitCodes, '1 EVENTS 2 POINTS 3 DOLLARS'],
  ['campaign_limit_trigger_time_range', codes.periodCodes, '1 DAY 2 WEEK 3 MONTH 4 QUARTER 5 YEAR 6 LIFETIME'],
  ['goal_type', codes.goalTypeCodes, '1 REGISTRATIONS 2 POINTS_EARNED 3 POINTS_REDEEMED'],
])('the published codes of %s stay the same', (_, numbers, meant) => {
  const told = Object.entries(numbers).map(([word, number]) => `${number} ${word}`);
  expect(told.join(' ')).toBe(meant);
});

it('listedView() returns null as trigger_type and base_reward for a campaign without a flow', () => {
  const shown = listedView(aCampaign({ type: 'CONNECT_ONLY', flows: [] }), noTotals, noon);
  expect(shown).toMatchObject({ campaign_type: 3, trigger_type: null, base_reward: null });
});
