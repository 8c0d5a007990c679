import * as z from 'zod/mini';
import { dayMs } from '../../../../../contracts/limits.ts';
import { timeOf } from '../../../../period.ts';
import { compare, comparison, defineCondition, holdsAsBefore, moreOrLess, noFaults } from '../kind.ts';

/**
 * The time since the member connected, in days of 24 hours. The condition does not hold for a member who is not
 * connected.
 */
export const timeElapsed = defineCondition({
  name: 'TIME_ELAPSED',
  code: 4,
  unit: 'days',
  observes: 'member',
  fields: { operator: comparison, days: z.int().check(z.gte(0), z.lte(36_500)) },
  needed: ({ days }) => days,
  find({ operator, days }, { connectedAt, occurredAt }) {
    const elapsed = connectedAt === null ? null : (timeOf(occurredAt) - timeOf(connectedAt)) / dayMs;
    return compare(elapsed, operator, days);
  },
  holdsAfterRefund: holdsAsBefore,
  words: ({ operator, needed }) => `the member connected ${moreOrLess(operator)} ${needed} ago`,
  faults: noFaults,
  examples: [
    {
      part: { attribute: 'TIME_ELAPSED', operator: 'GREATER_THAN', days: 30 },
      note: 'since connecting; or LESS_THAN',
    },
  ],
});
