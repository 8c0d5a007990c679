import * as z from 'zod/mini';
import { maximumAmountCents } from '../../../shared/contracts/limits.ts';
import { centsOfDollars } from '../../../shared/domain/money.ts';
import { jsonObject } from '../../../shared/http/json-object.ts';
import { datetime, id, optional, text, uuid } from '../../../shared/http/wire.ts';

/** The body of a simulation: a user, and what endpoint 1, 3 or 11 would be told. */

const cents = z.int().check(z.gte(0), z.lte(maximumAmountCents));

const Wire = z.object({
  user_uuid: optional(uuid),
  user_id: optional(id),
  /** The caller's own identifier of the user. */
  external_user_id: optional(text()),
  /** Of endpoint 1: dollars. */
  transaction_amount: optional(
    z.number().check(
      z.gt(0),
      z.lte(maximumAmountCents / 100),
      z.refine((dollars: number) => centsOfDollars(dollars) !== undefined, {
        error: 'has more than two decimals',
        params: { code: 'too_precise' },
      }),
    ),
  ),
  /** Of endpoint 3, with the partnership that the trigger belongs to. */
  trigger_name: optional(text()),
  transaction_context: optional(jsonObject),
  partnership_id: optional(uuid),
  /** Of endpoint 11. */
  transaction_subtotal: optional(cents),
  transaction_discount: optional(cents),
  /** Only this campaign, or those of this partner. */
  campaign_id: optional(id),
  partner_id: optional(id),
  /** When it is to happen; now, when it is not said. */
  now: optional(datetime),
});
type Wire = z.infer<typeof Wire>;

const users = ['user_uuid', 'user_id', 'external_user_id'] as const;
const occasions = ['transaction_amount', 'trigger_name', 'transaction_subtotal'] as const;

/** What says something of one occasion only: with another it would be passed over in silence. */
const partsOf = [
  ['transaction_context', 'trigger_name'],
  ['transaction_discount', 'transaction_subtotal'],
] as const;

type Issues = z.core.$RefinementCtx<Wire>;

const isTold = (body: Wire, name: keyof Wire) => Object(body)[name] != null;

function checkChoice(body: Wire, names: readonly (keyof Wire)[], issues: Issues): void {
  const told = names.filter((name) => isTold(body, name));
  if (told.length === 1) return;
  const [code, [first = '']] = told.length === 0 ? ['required', names] : ['contradictory', told.slice(1)];
  const message = `exactly one is needed of ${names.join(', ')}`;
  issues.addIssue({ code: 'custom', path: [first], message, params: { code } });
}

function checkParts(body: Wire, issues: Issues): void {
  if (isTold(body, 'trigger_name') && !isTold(body, 'partnership_id')) {
    const message = 'is needed with trigger_name';
    issues.addIssue({ code: 'custom', path: ['partnership_id'], message, params: { code: 'required' } });
  }
  for (const [part, whole] of partsOf) {
    if (!isTold(body, part) || isTold(body, whole)) continue;
    issues.addIssue({
      code: 'custom',
      path: [part],
      message: `counts only with ${whole}`,
      params: { code: 'contradictory' },
    });
  }
  const { transaction_subtotal: subtotal, transaction_discount: discount } = Object(body) as Wire;
  if (typeof subtotal === 'number' && typeof discount === 'number' && discount > subtotal) {
    const message = 'is more than the subtotal';
    issues.addIssue({ code: 'custom', path: ['transaction_discount'], message, params: { code: 'too_big' } });
  }
}

export const SimulationBody = Wire.check(
  z.superRefine(
    (body: Wire, issues: Issues) => {
      checkChoice(body, users, issues);
      checkChoice(body, occasions, issues);
      checkParts(body, issues);
    },
    // Also when single fields are wrong, so that the caller hears of every fault at once.
    { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
  ),
);
export type SimulationBody = z.infer<typeof SimulationBody>;
