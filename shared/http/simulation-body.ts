import * as z from 'zod/mini';
import { described } from '../contracts/described.ts';
import { maximumAmountCents } from '../contracts/limits.ts';
import { centsOfDollars } from '../domain/money.ts';
import { eligibleCents } from '../domain/order/purchase-details.ts';
import type { SimulatedEvent, SimulationRequest } from '../operations/campaign/simulate-campaigns.ts';
import { purchaseDetails, toPurchaseDetails } from './line-items.ts';
import { datetime, dollars, id, jsonObject, optional, requiredOneOf, text, uuid } from './wire.ts';

const cents = z.int().check(z.gte(0), z.lte(maximumAmountCents));

const Wire = z.object({
  user_uuid: described("The platform's id of the user.", optional(uuid)),
  user_id: described('Integer id of the user.', optional(id)),
  external_user_id: described("The caller's own identifier of the user.", optional(text())),
  transaction_amount: described('Endpoint 1: the amount, in dollars with up to two decimals.', optional(dollars)),
  trigger_name: described('A trigger that is configured for the partnership.', optional(text())),
  transaction_context: described(
    'Details of a trigger event, as configured for the trigger; or attributes of a purchase, for conditions of campaigns.',
    optional(jsonObject),
  ),
  line_items: purchaseDetails.line_items,
  currency: purchaseDetails.currency,
  partnership_id: described('UUID of the partnership of the trigger; needed with `trigger_name`.', optional(uuid)),
  transaction_total: described(
    'Endpoint 11: the total, in cents. Without it the amount has no upper bound.',
    optional(cents.check(z.gte(1))),
  ),
  transaction_subtotal: described(
    'Cents, before taxes and fees. Required, in one of its two spellings.',
    optional(cents),
  ),
  transaction_discount: described('Cents.', optional(cents)),
  campaign_id: described('Only this campaign is simulated.', optional(id)),
  partner_id: described('Only campaigns of this partner are simulated.', optional(id)),
  now: described('The time of the event; the present by default.', optional(datetime)),
});
type Wire = z.infer<typeof Wire>;

const userFields = ['user_uuid', 'user_id', 'external_user_id'] as const;
const eventFields = ['transaction_amount', 'trigger_name', 'transaction_subtotal'] as const;

/** Fields that belong to one kind of event. With another kind they would be ignored silently, so they are refused. */
const dependentFields = [
  ['transaction_total', 'transaction_subtotal'],
  ['transaction_discount', 'transaction_subtotal'],
] as const;

type Issues = z.core.$RefinementCtx<Wire>;

const isGiven = (body: Wire, name: keyof Wire) => Object(body)[name] != null;

function checkExactlyOne(body: Wire, names: readonly (keyof Wire)[], issues: Issues): void {
  const given = names.filter((name) => isGiven(body, name));
  if (given.length === 1) return;
  const [code, [first = '']] = given.length === 0 ? ['required', names] : ['contradictory', given.slice(1)];
  const message = `exactly one is needed of ${names.join(', ')}`;
  issues.addIssue({ code: 'custom', path: [first], message, params: { code } });
}

function checkDependentFields(body: Wire, issues: Issues): void {
  if (isGiven(body, 'trigger_name') && !isGiven(body, 'partnership_id')) {
    const message = 'is needed with trigger_name';
    issues.addIssue({ code: 'custom', path: ['partnership_id'], message, params: { code: 'required' } });
  }
  for (const [field, needed] of dependentFields) {
    if (!isGiven(body, field) || isGiven(body, needed)) continue;
    const message = `counts only with ${needed}`;
    issues.addIssue({ code: 'custom', path: [field], message, params: { code: 'contradictory' } });
  }
  if (isGiven(body, 'line_items') && isGiven(body, 'trigger_name')) {
    const message = 'belongs to a purchase, not to a trigger event';
    issues.addIssue({ code: 'custom', path: ['line_items'], message, params: { code: 'contradictory' } });
  }
  const { transaction_subtotal: subtotal, transaction_discount: discount } = Object(body) as Wire;
  if (typeof subtotal === 'number' && typeof discount === 'number' && discount > subtotal) {
    const message = 'is more than the subtotal';
    issues.addIssue({ code: 'custom', path: ['transaction_discount'], message, params: { code: 'too_big' } });
  }
}

const CheckedWire = Wire.check(
  z.superRefine(
    (body: Wire, issues: Issues) => {
      checkExactlyOne(body, userFields, issues);
      checkExactlyOne(body, eventFields, issues);
      checkDependentFields(body, issues);
    },
    // This check also runs when single fields are wrong, so one reply contains every fault.
    { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
  ),
);
requiredOneOf.add(CheckedWire, { groups: [userFields, eventFields] });

/** The body of a simulation: a user, and the event of endpoint 1, 3 or 11; parsed into the operation's input. */
export const SimulationBody = z.pipe(
  CheckedWire,
  z.transform(
    (body: Wire): Omit<SimulationRequest, 'organisationId'> => ({
      user: { uuid: body.user_uuid, id: body.user_id, externalId: body.external_user_id },
      event: toEvent(body),
      campaignId: body.campaign_id,
      partnerId: body.partner_id,
      partnershipUuid: body.partnership_id,
      at: body.now === undefined ? undefined : new Date(body.now),
    }),
  ),
);

/** Converts the event. The checks have made sure that the body has exactly one kind of event. */
function toEvent(body: Wire): SimulatedEvent {
  if (body.trigger_name !== undefined && body.partnership_id !== undefined) {
    return {
      kind: 'trigger',
      triggerName: body.trigger_name,
      partnershipUuid: body.partnership_id,
      transactionContext: body.transaction_context ?? {},
    };
  }
  if (body.transaction_amount !== undefined) {
    const amountCents = centsOfDollars(body.transaction_amount) ?? 0;
    return { kind: 'purchase', amountCents, details: toPurchaseDetails(body) };
  }
  return {
    kind: 'order',
    details: toPurchaseDetails(body),
    amountCents: eligibleCents({
      totalCents: body.transaction_total ?? maximumAmountCents,
      subtotalCents: body.transaction_subtotal ?? 0,
      discountCents: body.transaction_discount ?? 0,
    }),
  };
}
