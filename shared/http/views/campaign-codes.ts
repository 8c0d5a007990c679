/** The numbers that stand for words in campaigns (specification; docs/gaps.md, "Resources and their fields"). */

export const campaignTypeCodes = { EARN: 1, REDEEM: 2, CONNECT_ONLY: 3, TRANSFER: 4 } as const;
export const triggerTypeCodes = { SPEND: 1, REGISTRATION: 2, REFERRAL: 3, CUSTOM: 4 } as const;
export const actionTypeCodes = { AWARD_POINTS: 1, REDEEM_POINTS: 2, AWARD_CASHBACK: 3, TRANSFER_POINTS: 4 } as const;
export const conditionTypeCodes = { GEOGRAPHY: 1, TOTAL_SPEND: 2, BASKET_SIZE: 3, TIME_ELAPSED: 4, CUSTOM: 5 } as const;
export const operatorCodes = { IS_IN: 1, IS_NOT_IN: 2, GREATER_THAN: 3, LESS_THAN: 4 } as const;
export const logicCodes = { ANY: 1, ALL: 2 } as const;
export const multiplierAttributeCodes = { CUSTOMER_STATUS: 1, VARIABLE: 2 } as const;
export const limitTypeCodes = { TRANSACTION: 1, USER: 2 } as const;
export const boundCodes = { MINIMUM: 1, MAXIMUM: 2 } as const;
export const limitUnitCodes = { EVENTS: 1, POINTS: 2, DOLLARS: 3 } as const;
export const periodCodes = { DAY: 1, WEEK: 2, MONTH: 3, QUARTER: 4, YEAR: 5, LIFETIME: 6 } as const;
export const goalTypeCodes = { REGISTRATIONS: 1, POINTS_EARNED: 2, POINTS_REDEEMED: 3 } as const;
