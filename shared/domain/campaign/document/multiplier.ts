import * as z from 'zod/mini';
import { type Facts, valuesOf } from './facts.ts';
import { membership, part, values } from './part.ts';

const scaling = {
  ...part,
  operator: membership,
  /** Ten-thousandths: 15000 is one and a half times. */
  factorBp: z.int().check(z.gte(1), z.lte(10_000_000)),
};

/** Scales the base rate for some members or events. */
export const Multiplier = z.discriminatedUnion('attribute', [
  /** For the members whose tier in the program is, or is not, one of those named. */
  z.strictObject({
    ...scaling,
    attribute: z.literal('CUSTOMER_STATUS'),
    statusTierIds: z.array(z.int()).check(z.minLength(1), z.maxLength(1_000)),
  }),
  /** For those of whom an attribute is told that is, or is not, one of the values. */
  z.strictObject({
    ...scaling,
    attribute: z.literal('VARIABLE'),
    name: z.string().check(z.minLength(1), z.maxLength(255)),
    values,
  }),
]);
export type Multiplier = z.infer<typeof Multiplier>;

/** Whether a multiplier scales what the facts earn. Who has no tier, or no such attribute, is in no list. */
export function multiplies(multiplier: Multiplier, facts: Facts): boolean {
  return isIn(multiplier, facts) === (multiplier.operator === 'IS_IN');
}

function isIn(multiplier: Multiplier, facts: Facts): boolean {
  if (multiplier.attribute === 'VARIABLE') {
    return valuesOf(multiplier.name, facts).some((value) => multiplier.values.includes(value));
  }
  return facts.statusTierId !== null && multiplier.statusTierIds.includes(facts.statusTierId);
}
