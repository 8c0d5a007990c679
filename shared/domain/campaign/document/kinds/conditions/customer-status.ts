import { defineCondition, holdsAsBefore, membership, noFaults, statusTierIds } from '../kind.ts';

/** The member's status tier in the loyalty program. A member without a tier is in no list. */
export const customerStatusCondition = defineCondition({
  name: 'CUSTOMER_STATUS',
  code: 9,
  unit: null,
  observes: 'member',
  fields: { operator: membership, statusTierIds },
  needed: ({ statusTierIds: ids }) => ids.map(String),
  find({ operator, statusTierIds: ids }, { statusTierId }) {
    const isIn = statusTierId !== null && ids.includes(statusTierId);
    return { holds: isIn === (operator === 'IS_IN'), actual: statusTierId === null ? [] : [String(statusTierId)] };
  },
  refersTo: ({ statusTierIds: tierIds }) => ({ tierIds }),
  holdsAfterRefund: holdsAsBefore,
  words: ({ operator, needed }) => `the status tier ${operator === 'IS_IN' ? 'is' : 'is not'} one of ${needed}`,
  faults: noFaults,
  examples: [
    {
      part: { attribute: 'CUSTOMER_STATUS', operator: 'IS_NOT_IN', statusTierIds: [1] },
      note: 'or IS_IN; or "statusTiers" with the names of tiers',
    },
  ],
});
