import * as z from 'zod/mini';
import { periodOf, periods } from '../../../period.ts';
import type { Facts } from '../facts.ts';
import { inForms, type KindForm, type QuantityName } from './form.ts';
import { type AnyPart, type Fillable, type Kind, part } from './kind.ts';
import { type Phrase, say, textOf } from './phrase.ts';

/** The size of a reward in each unit that a limit can have. */
export interface Measure {
  /** One, or zero when the reward is empty. A flow without actions counts the member: one. */
  readonly events: number;
  /** Points that are awarded or paid, or that leave in a transfer. */
  readonly points: number;
  /** The cents that the reward is computed from; null when it does not depend on an amount of money. */
  readonly cents: number | null;
}

/** Each unit of limits: its code on the wire, the unit of the amount, and the size of a reward in that unit. */
export const limitUnits = {
  EVENTS: { code: 1, unit: 'events', measure: ({ events }: Measure) => events },
  POINTS: { code: 2, unit: 'points', measure: ({ points }: Measure) => points },
  DOLLARS: { code: 3, unit: 'cents', measure: ({ cents }: Measure) => cents },
} as const;
export type LimitUnit = keyof typeof limitUnits;

/** The behaviour of a kind of limit. `Part` is the limit without its id and owner. */
interface LimitTraits<Part> {
  /** Whether a counter records a member's use in each period. */
  readonly isCounted: boolean;
  /** The name of the period that an event belongs to; null for kinds without a counter. */
  period(limit: Part, facts: Pick<Facts, 'occurredAt' | 'timeZone'>): string | null;
  /**
   * The words after the amount, as in "at most 500 points a month".
   *
   * @param period the name of a period, such as `2026-11`, or a calendar period, such as `MONTH`; empty without one
   */
  words(period: Phrase): Phrase;
}

/** Any kind of limit, as evaluation and explanations use it. */
export interface LimitKind extends Kind, LimitTraits<AnyPart> {
  readonly form: KindForm;
}

function defineLimit<const Name extends string, Fields extends z.core.$ZodShape>(
  kind: Kind<Name> & LimitTraits<z.infer<z.ZodMiniObject<Fields>>> & Fillable<Fields>,
) {
  return { ...kind, schema: z.strictObject({ ...part, kind: z.literal(kind.name), ...kind.fields }) };
}

/** How people write the amount of a limit. */
const quantityOf: (limit: AnyPart) => QuantityName = inForms(({ unit }) =>
  unit === 'DOLLARS' ? 'money' : unit === 'EVENTS' ? 'times' : 'points',
);

/** A number of events or points; a number of cents if the unit is DOLLARS. */
const amount = z.int().check(z.gte(0));

/**
 * A limit of one transaction. A transaction below a minimum earns nothing. A transaction above a maximum earns as much
 * as one at the maximum.
 */
export const transactionLimit = defineLimit({
  name: 'TRANSACTION',
  code: 1,
  isCounted: false,
  fields: { bound: z.enum(['MINIMUM', 'MAXIMUM']), unit: z.enum(['POINTS', 'DOLLARS']), amount },
  period: () => null,
  words: () => say`a transaction`,
  examples: inForms([
    {
      part: { kind: 'TRANSACTION', bound: 'MINIMUM', unit: 'DOLLARS', amount: 1_000 },
      note: 'or MAXIMUM; or POINTS',
    },
  ]),
  form: inForms({
    label: 'Each transaction',
    help: 'Limits one transaction. Below a minimum it earns nothing, above a maximum as much as at the maximum.',
    fields: {
      bound: { label: 'Bound', choices: { MAXIMUM: 'at most', MINIMUM: 'at least' } },
      amount: { label: 'Amount', quantity: quantityOf },
      unit: { label: 'Unit', choices: { POINTS: 'points', DOLLARS: 'dollars spent' } },
    },
  }),
});

/** A limit of all rewards of one member in a calendar period, in the partnership's time zone. */
export const userLimit = defineLimit({
  name: 'USER',
  code: 2,
  isCounted: true,
  fields: {
    bound: z._default(z.literal('MAXIMUM'), 'MAXIMUM'),
    unit: z.enum(['EVENTS', 'POINTS']),
    amount,
    period: z.enum(periods),
  },
  period: ({ period }, { occurredAt, timeZone }) => periodOf(period, occurredAt, timeZone),
  words: periodInWords,
  examples: inForms([
    { part: { kind: 'USER', unit: 'EVENTS', amount: 3, period: 'WEEK' }, note: 'at most; or POINTS' },
  ]),
  form: inForms({
    label: 'Each member',
    help: 'Limits all rewards of one member in a calendar period, in the partnership’s time zone.',
    fields: {
      bound: { label: 'Bound', choices: { MAXIMUM: 'at most' } },
      amount: { label: 'Amount', quantity: quantityOf },
      unit: { label: 'Unit', choices: { POINTS: 'points', EVENTS: 'times' } },
      period: {
        label: 'Period',
        choices: {
          DAY: 'a day',
          WEEK: 'a week',
          MONTH: 'a month',
          QUARTER: 'a quarter',
          YEAR: 'a year',
          LIFETIME: 'in all',
        },
      },
    },
  }),
});

/** `a month` for a calendar period, `a member in 2026-11` for the name of a period. */
function periodInWords(period: Phrase): Phrase {
  const name = textOf(period);
  if (name === 'LIFETIME') return say`a member in all`;
  if (!isPeriod(name)) return say`a member in ${period}`;
  return say`a ${period.map((piece) => ({ ...piece, text: piece.text.toLowerCase() }))}`;
}

const isPeriod = (name: string) => periods.some((period) => period === name);
