import * as z from 'zod/mini';
import { maximumCharacters } from '../../../../contracts/limits.ts';
import type { CampaignType, Kind } from './base.ts';
import { inForms, type KindForm } from './form.ts';
import { type Phrase, say } from './phrase.ts';

/** The triggers of flows. Facts contain triggers, so this file loads no other kind. */

/** The behaviour of a kind of trigger. */
interface TriggerTraits {
  /** The campaign types whose flows may begin with the trigger. */
  readonly campaignTypes: readonly CampaignType[];
  /**
   * The clause that begins the sentence of a flow: `when a member spends`.
   *
   * @param name the name of a custom trigger
   */
  words(name: Phrase, type: CampaignType): Phrase;
}

/** Any kind of trigger, as sentences and forms use it. */
export interface TriggerKind extends Kind, TriggerTraits {
  readonly form: KindForm;
}

function defineTrigger<const Name extends string, Fields extends z.core.$ZodShape>(
  kind: Kind<Name> &
    TriggerTraits & { readonly fields: Fields; readonly form: KindForm<Extract<keyof Fields, string>> },
) {
  return { ...kind, schema: z.strictObject({ type: z.literal(kind.name), ...kind.fields }) };
}

/** A purchase: a request or an order. Endpoint 1 takes transfers as well, so they begin with this trigger too. */
const spend = defineTrigger({
  name: 'SPEND',
  code: 1,
  campaignTypes: ['EARN', 'REDEEM', 'TRANSFER'],
  fields: {},
  words: (_, type) => (type === 'TRANSFER' ? say`when a member moves points` : say`when a member spends`),
  examples: inForms([
    { part: { type: 'SPEND' }, note: 'a request or an order; the only trigger of REDEEM and TRANSFER campaigns' },
  ]),
  form: inForms({
    label: 'Purchase',
    labels: { TRANSFER: 'Transfer' },
    help: 'Begins when a member pays, or moves points.',
    fields: {},
  }),
});

/** The first link of an account. */
const registration = defineTrigger({
  name: 'REGISTRATION',
  code: 2,
  campaignTypes: ['EARN', 'CONNECT_ONLY'],
  fields: {},
  words: () => say`when a member links an account`,
  examples: inForms([{ part: { type: 'REGISTRATION' }, note: 'a member linked an account for the first time' }]),
  form: inForms({ label: 'New link', help: 'Begins when a member links an account for the first time.', fields: {} }),
});

const referral = defineTrigger({
  name: 'REFERRAL',
  code: 3,
  campaignTypes: ['EARN'],
  fields: {},
  words: () => say`when a member brings a friend`,
  examples: inForms([
    {
      part: { type: 'REFERRAL' },
      note: 'a member referred another one, who connects or for whom a referral trigger is sent',
    },
  ]),
  form: inForms({ label: 'Referral', help: 'Begins when a member brings a friend, who links an account.', fields: {} }),
});

/** An event that an organisation sends under the partnership. */
const custom = defineTrigger({
  name: 'CUSTOM',
  code: 4,
  campaignTypes: ['EARN'],
  fields: {
    customTriggerId: z.int(),
    /**
     * The context field with an amount in dollars. A flow that names a field rewards by the dollar. The trigger of an
     * event never has `amountField`.
     */
    amountField: z.optional(z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text))),
  },
  words: (name) => say`when ${name} happens`,
  examples: inForms([
    {
      part: { type: 'CUSTOM', name: 'signup_completed' },
      note: 'an event that is sent under the partnership; `trigger list <partnership>` lists the names',
    },
    {
      part: { type: 'CUSTOM', name: 'ride_completed', amountField: 'fare' },
      note: 'the same, rewarded by the dollar: `fare` is a required number of dollars in its context',
    },
  ]),
  form: inForms({
    label: 'Event of your own',
    help: 'Begins when one of the two sides sends an event.',
    fields: {
      customTriggerId: { label: 'Event', source: 'triggers' },
      amountField: {
        label: 'Amount to reward',
        help: 'Rewards each dollar of an amount in the event. Without an amount, each event is rewarded.',
        source: 'amountFields',
      },
    },
  }),
});

export const triggerKinds = [spend, registration, referral, custom] as const;
