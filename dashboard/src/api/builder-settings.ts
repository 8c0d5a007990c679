import type { CampaignSettings } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import type { PartnershipDetails } from './types.ts';

/** The settings of a partnership on which campaigns depend, as the rules read them. */
export const settingsOf = (partnership: PartnershipDetails): CampaignSettings => ({
  allowsCashback: partnership.allows_cashback,
  partnerId: partnership.partner.id,
  programs: new Set([partnership.partner.id, ...partnership.programs.map(({ id }) => id)]),
  triggers: partnership.triggers.map(({ custom_trigger_id, name, event, is_active, context_schema }) => ({
    ...{ customTriggerId: custom_trigger_id, name, event, isActive: is_active, contextSchema: context_schema },
  })),
  attributes: partnership.attributes,
  tiers: partnership.tiers,
});
