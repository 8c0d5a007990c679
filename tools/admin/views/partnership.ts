import type { Totals } from '../../../shared/domain/ledger/totals.ts';
import type { Partnership } from '../../../shared/domain/partnership.ts';
import type { ContextSchema, Trigger } from '../../../shared/domain/trigger/trigger.ts';
import type { CampaignWithTotals } from '../../../shared/store/campaign/campaigns.ts';
import { localMoment } from '../cli/moments.ts';
import { type Cell, count, dollars, facts, paragraphs, section, table } from '../cli/text.ts';

/** Partnerships, campaigns and triggers: `…View` functions return JSON for scripts, all others text for people. */

export function partnershipView(partnership: Partnership) {
  const { uuid, name, description, merchantId, partnerId, isActive, isDeleted, isDemo } = partnership;
  const { kind, timeZone, allowsCashback, partnerApproval, reversalPolicy, createdAt } = partnership;
  return {
    ...{ uuid, name, description, kind, merchantId, partnerId, isActive, isDeleted, isDemo },
    ...{ timeZone, allowsCashback, partnerApproval, reversalPolicy, createdAt },
  };
}

export function partnershipsTable(partnerships: readonly Partnership[], nameOf: (id: number) => string): string {
  if (partnerships.length === 0) return 'none';
  return table(
    ['uuid', 'name', 'merchant', 'partner', 'state'],
    partnerships.map((one) => [one.uuid, one.name, nameOf(one.merchantId), nameOf(one.partnerId), activityText(one)]),
  );
}

/** `active`, `inactive` or `deleted` */
export function activityText({ isActive, isDeleted }: Partnership): string {
  if (isDeleted) return 'deleted';
  return isActive ? 'active' : 'inactive';
}

/** `the partner approves campaigns that move its points` */
export function partnerApprovalText({ partnerApproval }: Partnership): string {
  if (partnerApproval === 'needed') return 'the partner approves each campaign that moves its points';
  return 'campaigns move the partner’s points without its approval';
}

/** How far a refund reverses points that were credited already. */
const reversalTexts: Readonly<Record<Partnership['reversalPolicy'], string>> = {
  only_pending: 'a refund reverses only rewards that are not completed yet',
  within_balance: 'a refund reverses what the member still has',
  unlimited: 'a refund reverses everything, also below zero',
};

export function partnershipFacts(partnership: Partnership, nameOf: (id: number) => string, totals?: Totals): string {
  const { uuid, name, description, kind, merchantId, partnerId, timeZone, allowsCashback, reversalPolicy } =
    partnership;
  return facts({
    uuid,
    name,
    description,
    merchant: `${merchantId} (${nameOf(merchantId)})`,
    partner: `${partnerId} (${nameOf(partnerId)})`,
    state: activityText(partnership),
    kind,
    'time zone': timeZone,
    cashback: allowsCashback ? 'allowed' : 'not allowed',
    approval: partnerApprovalText(partnership),
    reversals: `${reversalTexts[reversalPolicy]} (${reversalPolicy})`,
    created: localMoment(partnership.createdAt, timeZone),
    ...(totals && {
      'points earned': count(totals.earnedPoints),
      'points redeemed': count(totals.redeemedPoints),
      'cashback awarded': dollars(totals.cashbackCents),
      transactions: count(totals.transactions),
    }),
  });
}

export function campaignWithTotalsView({ campaign, totals }: CampaignWithTotals) {
  const { id, version, name, type, status, startsAt, endsAt, isDeleted } = campaign;
  return { id, version, name, type, status, startsAt, endsAt, isDeleted, totals };
}

export function campaignsWithTotalsTable(campaigns: readonly CampaignWithTotals[]): string {
  if (campaigns.length === 0) return 'none';
  return table(
    ['id', 'version', 'name', 'type', 'status', 'earned', 'redeemed', 'transactions'],
    campaigns.map(({ campaign: { id, version, name, type, status, isDeleted }, totals }) => [
      ...[id, version, name, type, isDeleted ? `${status}, deleted` : status],
      ...[count(totals.earnedPoints), count(totals.redeemedPoints), count(totals.transactions)],
    ]),
  );
}

/** A trigger, with the field names of its file. */
export function triggerView(trigger: Trigger) {
  const { name, customTriggerId, event, friendField, description, isActive, revision, contextSchema, createdAt } =
    trigger;
  const friend = friendField === undefined ? {} : { friendField };
  return { name, customTriggerId, event, ...friend, description, isActive, revision, contextSchema, createdAt };
}

export function triggersTable(triggers: readonly Trigger[]): string {
  if (triggers.length === 0) return 'none';
  return table(
    ['name', 'id', 'event', 'state', 'fields', 'description'],
    triggers.map(({ name, customTriggerId, event, isActive, contextSchema, description }) => [
      ...[name, customTriggerId, event, isActive ? 'active' : 'inactive'],
      ...[Object.keys(contextSchema.fields).join(' '), description],
    ]),
  );
}

export function triggerText(
  { name, customTriggerId, event, friendField, description, isActive, contextSchema, createdAt }: Trigger,
  timeZone: string,
): string {
  const friend = friendField === undefined ? {} : { friend: friendField };
  return paragraphs(
    facts({
      name,
      id: customTriggerId,
      event,
      ...friend,
      description,
      active: isActive,
      created: localMoment(createdAt, timeZone),
    }),
    section('Context', contextText(contextSchema)),
  );
}

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
