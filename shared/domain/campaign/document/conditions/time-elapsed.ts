import * as z from 'zod/mini';
import { dayMs } from '../../../../contracts/limits.ts';
import { timeOf } from '../../../instant.ts';
import { comparison, part } from '../part.ts';
import { compares, defineCondition } from './condition-kind.ts';

/** How long ago the member connected, in days of 24 hours; of who is not connected it does not hold. */
export const timeElapsed = defineCondition({
  schema: z.strictObject({
    ...part,
    attribute: z.literal('TIME_ELAPSED'),
    operator: comparison,
    days: z.int().check(z.gte(0), z.lte(36_500)),
  }),
  find({ operator, days }, { connectedAt, occurredAt }) {
    const elapsed = connectedAt === null ? null : (timeOf(occurredAt) - timeOf(connectedAt)) / dayMs;
    return { holds: compares(elapsed, operator, days), actual: elapsed, needed: days };
  },
});
