import * as z from 'zod/mini';
import { awardPoints } from '../../../shared/domain/campaign/document/kinds/actions.ts';
import { part } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { transactionLimit } from '../../../shared/domain/campaign/document/kinds/limits.ts';
import { customerStatus } from '../../../shared/domain/campaign/document/kinds/multipliers.ts';

/** Kinds that only tests have. They behave as another kind, and have names, fields and forms of their own. */

const few = z.int().check(z.gte(1), z.lte(100));

export const stamp = {
  ...awardPoints,
  ...{ name: 'STAMP', code: 99, schema: z.strictObject({ ...part, kind: z.literal('STAMP'), stamps: few }) },
  examples: [{ part: { kind: 'STAMP', stamps: 1 }, note: 'a stamp for each event' }],
  faults: () => [],
  form: { label: 'Stamps a card', help: 'Stamps.', fields: { stamps: { label: 'Stamps', quantity: 'count' } } },
};

export const fullMoon = {
  ...customerStatus,
  ...{ name: 'FULL_MOON', code: 99 },
  schema: z.strictObject({ ...part, attribute: z.literal('FULL_MOON'), nights: few }),
  examples: [{ part: { attribute: 'FULL_MOON', nights: 1 }, note: 'nights around a full moon' }],
  form: { label: 'Full moon', help: 'Gives more.', fields: { nights: { label: 'Nights', quantity: 'days' } } },
};

export const perTable = {
  ...transactionLimit,
  ...{ name: 'TABLE', code: 99, schema: z.strictObject({ ...part, kind: z.literal('TABLE'), guests: few }) },
  examples: [{ part: { kind: 'TABLE', guests: 4 }, note: 'the guests of a table' }],
  form: { label: 'Each table', help: 'Limits a table.', fields: { guests: { label: 'Guests', quantity: 'count' } } },
};
