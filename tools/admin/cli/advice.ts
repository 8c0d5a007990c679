import type { Subject } from '../../../shared/operations/errors.ts';

/**
 * The commands that error messages recommend. A test checks that each command exists, and that each refusal recommends
 * one.
 */

/** A command as an operator types it. */
export const command = (text: string) => `npm run admin -- ${text}`;

/** The command that lists the things of a kind; undefined for a kind whose advice has another form. */
export const listOf: Readonly<Partial<Record<Subject['kind'], string>>> = {
  organisation: 'organisation list',
  person: 'staff list',
  partnership: 'partnership list',
  campaign: 'campaign list <organisation>',
  'approved version': 'campaign show <campaign>',
  template: 'template list <organisation>',
  trigger: 'trigger list <partnership>',
  attribute: 'organisation attribute list <organisation>',
  'status tier': 'organisation tier list <organisation>',
  member: 'member find <name or e-mail>',
  customer: 'member find <name or e-mail>',
  'program account': 'member show <member>',
  'account number': 'program account list <organisation>',
  adjustment: 'adjustment list',
  'linked account of member': 'member show <member>',
  payment: 'payments list --merchant <organisation>',
  key: 'key list <organisation>',
  client: 'client list <organisation>',
  'platform key': 'platform-key list',
  'redirect URI': 'organisation show <organisation>',
  'payout batch': 'cashback list <partnership>',
  order: 'order list --merchant <organisation>',
  transaction: 'transaction list --merchant <organisation>',
  'reward transaction, order, payment or trigger event': 'transaction list --merchant <organisation>',
};

/** For each code of a fault in a campaign file: the command that removes the cause of the fault. */
export const remedyOf: Readonly<Record<string, string>> = {
  cashback_not_enabled: 'partnership edit <partnership> --cashback on',
  unknown_attribute: 'organisation attribute set <merchant> <name> --any-value',
  unknown_value: 'organisation attribute set <merchant> <name> --value <value>',
  unknown_tier: 'organisation tier set <partner> <id> --name <name>',
  unknown_trigger: 'trigger apply <partnership> <file>',
  inactive_trigger: 'trigger apply <partnership> <file>',
  referral_trigger: 'trigger show <partnership> <name>',
  unknown_amount_field: 'trigger apply <partnership> <file>',
  unknown_partner: 'partnership create <name> --merchant <organisation> --partner <organisation>',
  foreign_part: 'campaign apply <file> --as <its owner>',
  type_is_fixed: 'campaign apply <file> --as <organisation> --partnership <partnership> --new',
  campaign_has_begun: 'campaign duplicate <campaign> --as <organisation>',
  unknown_id: 'campaign show <campaign> --file <file>',
};
