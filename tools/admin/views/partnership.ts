import type { Totals } from '../../../shared/domain/ledger/totals.ts';
import type { Partnership } from '../../../shared/domain/partnership.ts';
import type { ContextSchema, Trigger } from '../../../shared/domain/trigger/trigger.ts';
import { managedPartnershipView, triggerView as toJson } from '../../../shared/http/views/managed-partnership.ts';
import type { CampaignWithTotals } from '../../../shared/store/campaign/campaigns.ts';
import { localMoment } from '../cli/moments.ts';
import { type Cell, count, dollars, paragraphs, section, table } from '../cli/text.ts';
import { viewOf } from '../cli/view.ts';

/** Partnerships, their campaigns and triggers, for scripts and for people. */

type NameOf = (organisationId: number) => string;

/** A partnership, with its totals if they were read. */
export const partnershipView = viewOf<Partnership & { readonly totals?: Totals | undefined }, NameOf>(
  ({ totals, ...partnership }) => ({ ...managedPartnershipView(partnership), ...(totals && { totals }) }),
)(
  {
    uuid: { head: 'uuid' },
    name: { head: 'name' },
    description: { head: 'description' },
    merchantId: { head: 'merchant', cell: ({ merchantId }, nameOf) => `${merchantId} (${nameOf(merchantId)})` },
    merchant: { json: null, cell: ({ merchantId }, nameOf) => nameOf(merchantId) },
    partnerId: { head: 'partner', cell: ({ partnerId }, nameOf) => `${partnerId} (${nameOf(partnerId)})` },
    partner: { json: null, cell: ({ partnerId }, nameOf) => nameOf(partnerId) },
    isActive: { head: 'state', cell: (one) => activityText(one) },
    kind: { head: 'kind' },
    timeZone: { head: 'time zone' },
    allowsCashback: { head: 'cashback', as: (isAllowed) => (isAllowed ? 'allowed' : 'not allowed') },
    partnerApproval: { head: 'approval', as: partnerApprovalText },
    reversalPolicy: { head: 'reversals', as: (policy) => `${reversalTexts[policy]} (${policy})` },
    createdAt: { head: 'created', cell: ({ createdAt, timeZone }) => localMoment(createdAt, timeZone) },
    totals: {
      head: 'points earned',
      json: ({ totals }) => totals,
      cell: ({ totals }) => totals && count(totals.earnedPoints),
    },
    redeemed: { head: 'points redeemed', json: null, cell: ({ totals }) => totals && count(totals.redeemedPoints) },
    cashback: { head: 'cashback awarded', json: null, cell: ({ totals }) => totals && dollars(totals.cashbackCents) },
    transactions: { head: 'transactions', json: null, cell: ({ totals }) => totals && count(totals.transactions) },
  },
  ['uuid', 'name', 'merchant', 'partner', 'isActive'],
);

/** `active`, `inactive` or `deleted` */
export function activityText({ isActive, isDeleted }: Partnership): string {
  if (isDeleted) return 'deleted';
  return isActive ? 'active' : 'inactive';
}

/** `the partner approves campaigns that move its points` */
export function partnerApprovalText(approval: Partnership['partnerApproval']): string {
  if (approval === 'needed') return 'the partner approves each campaign that moves its points';
  return 'campaigns move the partner’s points without its approval';
}

/** How far a refund reverses points that were credited already. */
const reversalTexts: Readonly<Record<Partnership['reversalPolicy'], string>> = {
  only_pending: 'a refund reverses only rewards that are not completed yet',
  within_balance: 'a refund reverses what the member still has',
  unlimited: 'a refund reverses everything, also below zero',
};

export const campaignWithTotalsView = viewOf<CampaignWithTotals>()({
  id: { head: 'id', json: ({ campaign }) => campaign.id },
  version: { head: 'version', json: ({ campaign }) => campaign.version },
  name: { head: 'name', json: ({ campaign }) => campaign.name },
  type: { head: 'type', json: ({ campaign }) => campaign.type },
  status: {
    head: 'status',
    json: ({ campaign }) => campaign.status,
    cell: ({ campaign: { status, isDeleted } }) => (isDeleted ? `${status}, deleted` : status),
  },
  startsAt: { json: ({ campaign }) => campaign.startsAt },
  endsAt: { json: ({ campaign }) => campaign.endsAt },
  isDeleted: { json: ({ campaign }) => campaign.isDeleted },
  totals: { head: 'earned', as: ({ earnedPoints }) => count(earnedPoints) },
  redeemed: { head: 'redeemed', json: null, cell: ({ totals }) => count(totals.redeemedPoints) },
  transactions: { head: 'transactions', json: null, cell: ({ totals }) => count(totals.transactions) },
});

/** A trigger, with the field names of its file. */
export const triggerView = viewOf<Trigger, { readonly timeZone?: string }>(toJson)(
  {
    name: { head: 'name' },
    customTriggerId: { head: 'id' },
    event: { head: 'event' },
    friendField: { head: 'friend', cell: ({ friendField }) => friendField },
    description: { head: 'description' },
    isActive: { head: 'active' },
    createdAt: { head: 'created', cell: ({ createdAt }, { timeZone = 'UTC' }) => localMoment(createdAt, timeZone) },
    state: { json: null, cell: ({ isActive }) => (isActive ? 'active' : 'inactive') },
    fields: { json: null, cell: ({ contextSchema }) => Object.keys(contextSchema.fields).join(' ') },
  },
  ['name', 'customTriggerId', 'event', 'state', 'fields', 'description'],
);

export const triggerText = (trigger: Trigger, timeZone: string): string =>
  paragraphs(triggerView.facts(trigger, { timeZone }), section('Context', contextText(trigger.contextSchema)));

function contextText({ fields, allowsOtherFields }: ContextSchema): string {
  const rows = Object.entries(fields).map(([name, field]): Cell[] => [
    name,
    field.type,
    field.isRequired,
    boundsText(field),
  ]);
  const others = allowsOtherFields ? 'Other fields are allowed.' : 'No other fields are allowed.';
  return rows.length > 0 ? paragraphs(table(['field', 'type', 'required', 'bounds'], rows), others) : others;
}

function boundsText(field: ContextSchema['fields'][string]): string | null {
  if (field.type === 'string') return `at most ${field.maximumLength} characters`;
  if (field.type === 'boolean' || field.type === 'datetime') return null;
  const { minimum, maximum } = field;
  const parts = [minimum === null ? '' : `from ${minimum}`, maximum === null ? '' : `to ${maximum}`];
  return parts.filter(Boolean).join(' ') || null;
}
