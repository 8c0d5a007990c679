import type { CampaignSettings, KnownTrigger } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import type { PartnershipDetails, TriggerView } from './types.ts';

/** The settings of a partnership on which campaigns depend, as the rules read them. */
export const settingsOf = (partnership: PartnershipDetails): CampaignSettings => ({
  allowsCashback: partnership.allows_cashback,
  partnerId: partnership.partner.id,
  programs: new Set([partnership.partner.id, ...partnership.programs.map(({ id }) => id)]),
  triggers: partnership.triggers.map(knownTrigger),
  attributes: partnership.attributes,
  tiers: partnership.tiers,
});

/** A trigger as the rules read it. */
export const knownTrigger = (view: TriggerView): KnownTrigger => ({
  customTriggerId: view.custom_trigger_id,
  name: view.name,
  event: view.event,
  isActive: view.is_active,
  contextSchema: view.context_schema,
});
