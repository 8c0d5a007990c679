import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import { campaignActNames } from '../../domain/campaign/authoring/acts.ts';
import { campaignStatuses } from '../../domain/campaign/document/campaign.ts';
import { campaignTypes } from '../../domain/campaign/document/kinds/kind.ts';
import { campaignEntryActs } from '../../store/campaign/campaign-history.ts';
import { organisationIdParam } from '../organisation-request.ts';
import { pathInteger } from '../wire.ts';

/** The wire's form of the views in managed-campaign.ts. */

export const campaignParams = {
  organisation_id: organisationIdParam,
  id: described('Id of the campaign.', pathInteger),
};

export const Named = z.object({
  id: described('Id of the organisation.', z.int()),
  name: described('Name of the organisation.', z.string()),
});

export const CampaignTypeName = described('The type of the campaign.', z.enum(campaignTypes));
export const CampaignStatusName = z.enum(campaignStatuses);

/** A campaign file, letter by letter. */
export const CampaignFile = described(
  'The campaign file, as `campaign apply` reads it.',
  z.record(z.string(), z.unknown()),
);

const Totals = z.object({
  earned_points: described('Points that members earned, without those that were taken back.', z.number()),
  redeemed_points: described('Points that members redeemed, without those that came back.', z.number()),
  cashback_cents: described('Cashback in cents.', z.number()),
  transactions: described('Number of reward transactions.', z.number()),
  registrations: described('Members that the campaign counts as registered.', z.number()),
});

const head = {
  id: described('Id of the campaign.', z.int()),
  revision: described('Increases with every change. Changes name it in `If-Match`.', z.int()),
  name: described('Name of the running version, otherwise of the draft. Empty when a draft has none yet.', z.string()),
  description: described('Description; null without one.', z.nullable(z.string())),
  logo: described('URL of the icon; null without one.', z.nullable(z.string())),
  type: CampaignTypeName,
  status: described('State of the running version, otherwise of the draft.', CampaignStatusName),
  next_status: described(
    'State of the version that waits beside a running one; null without one.',
    z.nullable(CampaignStatusName),
  ),
  has_next_version: described('Whether changes wait beside a running version.', z.boolean()),
  partnership_uuid: described('UUID of the partnership.', z.string()),
  merchant_id: described('Id of the merchant.', z.int()),
  partner_id: described('Id of the partner.', z.int()),
  owner_id: described('Id of the organisation that made the campaign.', z.int()),
  paused_by: described('Id of the organisation that paused the campaign; null when none did.', z.nullable(z.int())),
  created_at: described('When the campaign was made.', z.string()),
  changed_at: described('When the campaign was changed last.', z.string()),
  partnership: z.object({
    uuid: described('UUID of the partnership.', z.string()),
    name: described('Name of the partnership.', z.string()),
    time_zone: described('IANA time zone of its dates.', z.string()),
    is_active: described('Whether its campaigns reward.', z.boolean()),
    merchant: Named,
    partner: Named,
  }),
  starts_at: described('Start. Of a draft, a start in the past means: with the last approval.', z.nullable(z.string())),
  ends_at: described('End; null when the campaign runs until it is ended.', z.nullable(z.string())),
  is_in_review: described('Whether a version is in review.', z.boolean()),
  waits_for: described('The organisations whose approval the next version needs.', z.array(Named)),
  is_waiting_for_you: described('Whether a review waits for the approval of your organisation.', z.boolean()),
  faults: described('How many faults keep the next version from approval.', z.int()),
  points: described('Points earned, or redeemed if the campaign takes points.', z.number()),
  totals: Totals,
  goals: z.array(
    z.object({
      type: described('What the goal counts.', z.string()),
      target: described('The target.', z.number()),
      current: described('The total that the goal counts.', z.number()),
      is_reached: described('Whether the target is reached.', z.boolean()),
    }),
  ),
};

export const CampaignSummaryReply = z.object(head);

const signature = {
  organisation_id: described('Id of the organisation.', z.int()),
  organisation: Named,
  person: described('The person, if it is one of your organisation; otherwise null.', z.nullable(z.string())),
  at: described('When.', z.string()),
};
const Signature = z.object(signature);

const Difference = z.object({
  pointer: described('JSON Pointer into the newer document; of a removed part into the older one.', z.string()),
  label: described('The place in words.', z.string()),
  old: described('The older value in words; null when it is new.', z.nullable(z.string())),
  new: described('The newer value in words; null when it was removed.', z.nullable(z.string())),
});

const version = {
  version: described('Number of the version.', z.int()),
  status: CampaignStatusName,
  template_id: described('The template that the campaign was made from; null without one.', z.nullable(z.int())),
  document: CampaignFile,
};

const CampaignFaultReply = z.object({
  pointer: described('JSON Pointer into the document.', z.string()),
  code: described('Kind of the fault.', z.string()),
  message: described('The fault, and how to correct it.', z.string()),
});

const approvedVersion = {
  version: described('Number of the version.', z.int()),
  approved_at: described('When the last approval was given; null for old versions.', z.nullable(z.string())),
  approvals: described('Who approved it.', z.array(Signature)),
  differences: described('What differs from the version before.', z.array(Difference)),
};

export const CampaignReply = z.object({
  ...head,
  changed: described('The last change; null when the clock made it.', z.nullable(Signature)),
  live: described('The running version; null before the first approval.', z.nullable(z.object(version))),
  draft: described(
    'The next version; null without one.',
    z.nullable(
      z.object({
        ...version,
        approvals: described('Who approved it already.', z.array(Signature)),
        missing_approvals: described('Ids of the organisations whose approval it needs.', z.array(z.int())),
        rejection: described(
          'Why its last review ended; null when none was rejected.',
          z.nullable(z.object({ ...signature, reason: described('The reason.', z.string()) })),
        ),
        changed: described('Who changed the document last.', z.nullable(Signature)),
        faults: described('What keeps it from approval.', z.array(CampaignFaultReply)),
        differences: described('What differs from the running version.', z.array(Difference)),
      }),
    ),
  ),
  organisations: described('The organisations that the versions name.', z.array(Named)),
  acts: described(
    'What you may do with the campaign.',
    z.array(
      z.object({
        act: described('The act.', z.enum(campaignActNames)),
        is_allowed: described('Whether you may do it now.', z.boolean()),
        reason: described('Why you may not; null when you may.', z.nullable(z.string())),
      }),
    ),
  ),
  versions: described('The approved versions, the newest first, at most 20.', z.array(z.object(approvedVersion))),
});

export const CampaignEntryReply = z.object({
  ...signature,
  act: described('What was done. Acts of the schedule are not in the list.', z.enum(campaignEntryActs)),
  reason: described('Why a version was rejected; null for other acts.', z.nullable(z.string())),
  revision: described('The revision of the campaign after the act.', z.int()),
});

export const CampaignVersionReply = z.object({ ...approvedVersion, document: CampaignFile });
