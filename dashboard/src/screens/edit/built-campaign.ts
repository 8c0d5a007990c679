import type { CampaignBefore } from '../../../../shared/domain/campaign/authoring/review.ts';
import { CampaignDocument } from '../../../../shared/domain/campaign/document/campaign.ts';
import type { CampaignSettings } from '../../../../shared/domain/campaign/document/kinds/kind.ts';
import { firstFreeId } from '../../../../shared/domain/campaign/document/tree.ts';
import type { CampaignView } from '../../api/types.ts';
import type { BuiltCampaign } from '../../builder/context.ts';
import { storedDocument } from '../../builder/server-draft.ts';

/** A campaign as the builder knows it. */
export function builtCampaign(view: CampaignView, organisationId: number, settings: CampaignSettings): BuiltCampaign {
  const { merchant, partner, time_zone: timeZone } = view.partnership;
  const organisations = new Map([merchant, partner].map(({ id, name }) => [id, name]));
  return {
    ...{ id: view.id, organisationId, merchant, partner, timeZone, settings },
    before: beforeOf(view),
    names: {
      organisation: (id) => organisations.get(id),
      tier: (id) => settings.tiers.find((tier) => tier.id === id)?.name,
      trigger: (id) => settings.triggers.find((trigger) => trigger.customTriggerId === id)?.name,
    },
  };
}

/** The campaign before the edit; null as long as its document cannot be read. */
function beforeOf(view: CampaignView): CampaignBefore | null {
  const { data: document } = CampaignDocument.safeParse(storedDocument(view));
  if (!document) return null;
  const { data: running } = CampaignDocument.safeParse(view.live?.document);
  const live =
    view.live && running ? { type: running.type, status: view.live.status, startsAt: running.startsAt } : null;
  return { document, live, nextPartId: firstFreeId(document) };
}
