import * as z from 'zod/mini';

/**
 * What begins a flow: a purchase, a member who linked an account of the program, a member who brought
 * another one, or an event that an organisation sends under the partnership.
 */
export const FlowTrigger = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('SPEND') }),
  z.strictObject({ type: z.literal('REGISTRATION') }),
  z.strictObject({ type: z.literal('REFERRAL') }),
  z.strictObject({ type: z.literal('CUSTOM'), customTriggerId: z.int() }),
]);
export type FlowTrigger = z.infer<typeof FlowTrigger>;

/** Whether what happened is what a flow waits for. */
export function triggerMatches(happened: FlowTrigger, waitedFor: FlowTrigger): boolean {
  if (happened.type === 'CUSTOM' && waitedFor.type === 'CUSTOM') {
    return happened.customTriggerId === waitedFor.customTriggerId;
  }
  return happened.type === waitedFor.type;
}
