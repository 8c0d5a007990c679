import * as z from 'zod/mini';
import { isByDollar } from '../facts.ts';
import { type FieldForm, inForms, type KindForm } from './form.ts';
import {
  type AnyPart,
  type CampaignFault,
  type CampaignType,
  type Fillable,
  fault,
  faultIf,
  type Kind,
  type PartContext,
  part,
} from './kind.ts';
import { type Phrase, say, withSuffix } from './phrase.ts';

/**
 * The actions of flows. Rates are whole numbers of a small unit: as a float, 0.57 points per dollar would pay
 * 56 points on $100. A purchase, and a custom event with an amount, earn per dollar. Every other event earns per event.
 */

/** The quantity that a rate is applied to. */
export interface Base {
  /**
   * CENTS: the cents that a member spends, or the amount of an event in cents. EVENT: one event. POINTS: points that a
   * transfer moves.
   */
  readonly kind: 'CENTS' | 'EVENT' | 'POINTS';
  readonly amount: number;
}

/** Everything that an action's amount depends on. */
interface Calculation {
  readonly base: Base;
  /** The base rate of the action. */
  readonly rate: number;
  /** The factors of all multipliers that matched, in ten-thousandths. */
  readonly factors: readonly number[];
}

/** The programs of a transfer. */
interface Route {
  readonly fromPartnerId: number;
  readonly toPartnerId: number;
}

/** The terms of an action as words. */
interface Terms {
  /** The rate with its unit: `2 points`. */
  readonly rate: Phrase;
  /** The number of the rate alone: `2`. */
  readonly amount: Phrase;
  readonly per: 'dollar' | 'event';
  /** The names of the two sides. */
  readonly merchant: Phrase;
  readonly program: Phrase;
  /** The programs of a transfer. */
  readonly from: Phrase;
  readonly to: Phrase;
}

/** The behaviour of a kind of action. `Part` is the action without its id and owner. */
interface ActionTraits<Part> {
  /** The unit of the action's amount. */
  readonly unit: 'cents' | 'points';
  /** Limits may cap an award. A payment or a transfer happens in full or not at all. */
  readonly effect: 'award' | 'payment' | 'transfer';
  /** The campaign types that may have such an action. */
  readonly campaignTypes: readonly CampaignType[];
  /** How the base rate is shown: its number of decimals, and its unit. `of` is null for a rate without a unit. */
  readonly rateUnit: { readonly decimals: number; readonly of: 'point' | 'cent' | 'dollar' | null };
  /** The rate before any multiplier, a whole number: if `rateUnit` has 4 decimals, it counts ten-thousandths. */
  baseRate(action: Part, isByDollar: boolean): number;
  /** The field of the base rate. */
  rateField(isByDollar: boolean): string;
  /** The amount: calculated exactly, and rounded once. At most the largest exact integer: no reward may be this large. */
  amount(calculation: Calculation): number;
  /**
   * The points that leave the member have to be a multiple of this number. Otherwise the action does not happen. Null
   * if any number is allowed.
   */
  step(action: Part): number | null;
  /** The programs between which the action moves points; null when it moves none. */
  route(action: Part): Route | null;
  /** The action as a clause, as in "Skyline Miles gives 2 points per $1". */
  words(terms: Terms): Phrase;
  /** The rate as a term of the calculation, as in "× 2 points per dollar". */
  term(rate: string, per: 'dollar' | 'event'): string;
  /** Finds faults that the schema cannot find. */
  faults(action: Part, context: PartContext): CampaignFault[];
}

/** Any kind of action, as evaluation, views and explanations use it. */
export interface ActionKind extends Kind, ActionTraits<AnyPart> {
  readonly form: KindForm;
}

function defineAction<const Name extends string, Fields extends z.core.$ZodShape>(
  kind: Kind<Name> & ActionTraits<z.infer<z.ZodMiniObject<Fields>>> & Fillable<Fields>,
) {
  return { ...kind, schema: z.strictObject({ ...part, kind: z.literal(kind.name), ...kind.fields }) };
}

/** A factor of one, in ten-thousandths. */
const one = 10_000;
const largest = Number.MAX_SAFE_INTEGER;

/** The points or cents that a member gets, rounded down. */
function awardedAmount({ base, rate, factors }: Calculation): number {
  const perDollar = base.kind === 'CENTS' ? 100 : 1;
  return divide([base.amount, rate, ...factors], [perDollar * one, ...factors.map(() => one)], 'down');
}

/** The points that a member pays, rounded up. A factor increases the value of each point. */
function paidAmount({ base, rate, factors }: Calculation): number {
  // A cent is 10,000 millionths of a dollar.
  return divide([base.amount, 10_000, ...factors.map(() => one)], [rate, ...factors], 'up');
}

/** Divides a product of whole numbers by another one exactly, and rounds the quotient. */
function divide(dividends: readonly number[], divisors: readonly number[], rounding: 'down' | 'up'): number {
  const [dividend, divisor] = [productOf(dividends), productOf(divisors)];
  if (dividend > largest || divisor > largest) return divideLarge(dividends, divisors, rounding);
  const rest = dividend % divisor;
  return (dividend - rest) / divisor + (rounding === 'up' && rest > 0 ? 1 : 0);
}

/** As {@link divide}, for products that a double cannot hold exactly. */
function divideLarge(dividends: readonly number[], divisors: readonly number[], rounding: 'down' | 'up'): number {
  const [dividend, divisor] = [largeProductOf(dividends), largeProductOf(divisors)];
  const quotient = (dividend + (rounding === 'up' ? divisor - 1n : 0n)) / divisor;
  return quotient < BigInt(largest) ? Number(quotient) : largest;
}

const productOf = (numbers: readonly number[]) => numbers.reduce((product, next) => product * next, 1);
const largeProductOf = (numbers: readonly number[]) => numbers.reduce((product, next) => product * BigInt(next), 1n);

const isPerDollar: NonNullable<FieldForm['isShown']> = inForms((context) => context.isByDollar);
const isPerEvent: NonNullable<FieldForm['isShown']> = inForms((context) => !context.isByDollar);

const optionalRate = (maximum: number) => z.optional(z.int().check(z.gte(0), z.lte(maximum)));

interface NamedRate {
  readonly name: string;
  readonly rate: number | undefined;
}

function ruleOf(trigger: PartContext['trigger']): string {
  if (trigger.type === 'SPEND') return 'A purchase is rewarded by the dollar';
  return isByDollar(trigger)
    ? 'An event with an amount is rewarded by the dollar'
    : `${trigger.type} is rewarded by the event`;
}

/**
 * An award has one rate. It is per dollar for a purchase and for an event with an amount, and per event for every other
 * event.
 */
function rateFaults(perDollar: NamedRate, perEvent: NamedRate, { trigger, at }: PartContext): CampaignFault[] {
  const [wanted, other] = isByDollar(trigger) ? [perDollar, perEvent] : [perEvent, perDollar];
  const rule = ruleOf(trigger);
  return [
    ...faultIf(
      wanted.rate === undefined,
      fault(`${at}/${wanted.name}`, 'no_rate', `${rule}: ${wanted.name} is missing`),
    ),
    ...faultIf(wanted.rate === 0, fault(`${at}/${wanted.name}`, 'rate_of_zero', 'A rate of 0 rewards nothing')),
    ...faultIf(
      other.rate !== undefined,
      fault(`${at}/${other.name}`, 'other_rate', `${rule}: remove ${other.name}, it would never count`),
    ),
  ];
}

const perDollar = (per: Terms['per']): string => (per === 'dollar' ? ' per $1' : '');

/** Points of the partner's program: a number per dollar, or per event. */
export const awardPoints = defineAction({
  name: 'AWARD_POINTS',
  code: 1,
  unit: 'points',
  effect: 'award',
  campaignTypes: ['EARN'],
  rateUnit: { decimals: 4, of: 'point' },
  fields: {
    /** Ten-thousandths of a point. */
    pointsPerDollarBp: optionalRate(100_000_000),
    pointsPerEvent: optionalRate(100_000_000),
  },
  baseRate: ({ pointsPerDollarBp = 0, pointsPerEvent = 0 }, byDollar) =>
    byDollar ? pointsPerDollarBp : pointsPerEvent * 10_000,
  rateField: (byDollar) => (byDollar ? 'pointsPerDollarBp' : 'pointsPerEvent'),
  amount: awardedAmount,
  step: () => null,
  route: () => null,
  words: ({ rate, per, program }) => say`${program} gives ${rate}${perDollar(per)}`,
  term: (points, per) => `× ${points} per ${per}`,
  faults: ({ pointsPerDollarBp, pointsPerEvent }, context) =>
    rateFaults(
      { name: 'pointsPerDollarBp', rate: pointsPerDollarBp },
      { name: 'pointsPerEvent', rate: pointsPerEvent },
      context,
    ),
  examples: inForms([
    {
      part: { kind: 'AWARD_POINTS', pointsPerDollarBp: 5_700 },
      note: '0.57 points a dollar, in ten-thousandths of a point',
    },
    { part: { kind: 'AWARD_POINTS', pointsPerEvent: 250 }, note: '250 points an event' },
  ]),
  form: inForms({
    label: 'Award points',
    help: 'Gives points of the partner’s program.',
    fields: {
      pointsPerDollarBp: { label: 'Points per $1', quantity: 'pointsPerDollar', isShown: isPerDollar },
      pointsPerEvent: { label: 'Points', quantity: 'points', isShown: isPerEvent },
    },
  }),
});

/** Cashback: a share of the spending, or a number of cents per event. */
export const awardCashback = defineAction({
  name: 'AWARD_CASHBACK',
  code: 3,
  unit: 'cents',
  effect: 'award',
  campaignTypes: ['EARN', 'REDEEM'],
  rateUnit: { decimals: 4, of: 'cent' },
  fields: {
    /** Ten-thousandths of the spending: 500 is 5 %. */
    shareBp: optionalRate(10_000),
    centsPerEvent: optionalRate(10_000_000),
  },
  // 5 % is 500 basis points of a dollar, or five cents a dollar: 50,000 ten-thousandths of a cent.
  baseRate: ({ shareBp = 0, centsPerEvent = 0 }, byDollar) => (byDollar ? shareBp * 100 : centsPerEvent * 10_000),
  rateField: (byDollar) => (byDollar ? 'shareBp' : 'centsPerEvent'),
  amount: awardedAmount,
  step: () => null,
  route: () => null,
  // A cent per dollar is one percent.
  words: ({ rate, amount, per, merchant }) =>
    per === 'dollar' ? say`${merchant} gives ${withSuffix(amount, ' %')} back` : say`${merchant} gives ${rate} back`,
  term: (cents, per) => `× ${cents} per ${per}`,
  faults: ({ shareBp, centsPerEvent }, context) => [
    ...faultIf(
      !context.settings.allowsCashback,
      fault(
        `${context.at}/kind`,
        'cashback_not_enabled',
        'The partnership does not allow cashback: enable it there first',
      ),
    ),
    ...rateFaults({ name: 'shareBp', rate: shareBp }, { name: 'centsPerEvent', rate: centsPerEvent }, context),
  ],
  examples: inForms([
    {
      part: { kind: 'AWARD_CASHBACK', shareBp: 500 },
      note: '5 % of what is spent, or of what is paid with points; the partnership has to allow cashback',
    },
    { part: { kind: 'AWARD_CASHBACK', centsPerEvent: 500 }, note: '$5.00 an event' },
  ]),
  form: inForms({
    label: 'Award cashback',
    help: 'Gives money back: a share of what is spent, or an amount for each event.',
    fields: {
      shareBp: { label: 'Share of the spending', quantity: 'percent', isShown: isPerDollar },
      centsPerEvent: { label: 'Amount', quantity: 'money', isShown: isPerEvent },
    },
  }),
});

/** The member pays with points of a fixed value. */
export const redeemPoints = defineAction({
  name: 'REDEEM_POINTS',
  code: 2,
  unit: 'points',
  effect: 'payment',
  campaignTypes: ['REDEEM'],
  rateUnit: { decimals: 6, of: 'dollar' },
  fields: {
    /** Millionths of a dollar per point. */
    pointValueMicros: z.int().check(z.gte(1), z.lte(1_000_000_000_000)),
    /** Members pay in multiples of this number of points. */
    increment: z.optional(z.int().check(z.gte(1), z.lte(1_000_000_000))),
  },
  baseRate: ({ pointValueMicros }) => pointValueMicros,
  rateField: () => 'pointValueMicros',
  amount: paidAmount,
  step: ({ increment = null }) => increment,
  route: () => null,
  words: ({ rate, program }) => say`each point of ${program} pays ${rate}`,
  term: (dollars) => `÷ ${dollars} per point`,
  faults: () => [],
  examples: inForms([
    {
      part: { kind: 'REDEEM_POINTS', pointValueMicros: 10_000 },
      note: 'REDEEM only: a point is worth a cent, in millionths of a dollar',
    },
    {
      part: { kind: 'REDEEM_POINTS', pointValueMicros: 10_000, increment: 500 },
      note: 'members pay in steps of 500 points',
    },
  ]),
  form: inForms({
    label: 'Pay with points',
    help: 'Lets members pay with points of a fixed value.',
    fields: {
      pointValueMicros: { label: 'Value of a point', quantity: 'dollarsPerPoint' },
      increment: { label: 'In steps of', help: 'Without it, members pay with any number.', quantity: 'points' },
    },
  }),
});

/** Points move from one program of the member to another, in multiples of an increment. */
export const transferPoints = defineAction({
  name: 'TRANSFER_POINTS',
  code: 4,
  unit: 'points',
  effect: 'transfer',
  campaignTypes: ['TRANSFER'],
  rateUnit: { decimals: 4, of: null },
  fields: {
    fromPartnerId: z.int(),
    toPartnerId: z.int(),
    /** One point becomes this many ten-thousandths of a point of the other program. */
    conversionRateBp: z.int().check(z.gte(1), z.lte(100_000_000)),
    increment: z.int().check(z.gte(1), z.lte(1_000_000_000)),
  },
  baseRate: ({ conversionRateBp }) => conversionRateBp,
  rateField: () => 'conversionRateBp',
  amount: awardedAmount,
  step: ({ increment }) => increment,
  route: ({ fromPartnerId, toPartnerId }) => ({ fromPartnerId, toPartnerId }),
  words: ({ rate, from, to }) => say`each point of ${from} becomes ${rate} of ${to}`,
  term: (rate) => `× ${rate}`,
  faults: routeFaults,
  examples: inForms([
    {
      part: { kind: 'TRANSFER_POINTS', fromPartnerId: 2, toPartnerId: 4, conversionRateBp: 5_000, increment: 1_000 },
      note: 'TRANSFER only: two points become one, in thousands; one of the two is the partner of the partnership',
    },
  ]),
  form: inForms({
    label: 'Transfer points',
    help: 'Moves points from one program of the member to another.',
    fields: {
      fromPartnerId: { label: 'From', source: 'programs' },
      toPartnerId: { label: 'To', source: 'programs' },
      conversionRateBp: { label: 'One point becomes', quantity: 'pointsPerPoint' },
      increment: { label: 'In steps of', quantity: 'points' },
    },
  }),
});

/**
 * Finds faults of the two programs of a transfer. One program has to belong to the partnership's partner, the other
 * program to a different partner of the merchant.
 */
function routeFaults(
  { fromPartnerId, toPartnerId }: Pick<Route, 'fromPartnerId' | 'toPartnerId'>,
  { settings: { partnerId, programs }, at }: PartContext,
): CampaignFault[] {
  if (fromPartnerId === toPartnerId) {
    const message = 'Points have to move to another program than they come from';
    return [fault(`${at}/toPartnerId`, 'same_program', message)];
  }
  const isForeign = fromPartnerId !== partnerId && toPartnerId !== partnerId;
  const foreign = `Points have to come from the program of the partnership's partner, ${partnerId}, or move to it`;
  return [
    ...faultIf(isForeign, fault(at, 'foreign_programs', foreign)),
    ...Object.entries({ fromPartnerId, toPartnerId }).flatMap(([name, id]) =>
      faultIf(
        !programs.has(id),
        fault(`${at}/${name}`, 'unknown_partner', `The merchant has no partnership with a partner ${id}`),
      ),
    ),
  ];
}
