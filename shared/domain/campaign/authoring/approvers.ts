import { isSide } from '../../partnership.ts';
import { actionKind, type Campaign, type CampaignDraft } from '../document/campaign.ts';
import { ownersOfParts } from '../document/tree.ts';

/** Who has to approve a version of a campaign, and who may take part in its review. */

/** The partners that let the campaigns of a merchant move their points without their approval, by id. */
export type Waivers = ReadonlySet<number>;

/** The partners whose points a campaign awards, takes or transfers, each once. Cashback moves no points. */
export function partnersOfPoints({ flows, partnerId }: Pick<Campaign, 'flows' | 'partnerId'>): number[] {
  const partners = flows.flatMap(({ actions }) =>
    actions.flatMap((action) => {
      const { unit, route } = actionKind(action.kind);
      const programs = route(action);
      if (programs) return [programs.fromPartnerId, programs.toPartnerId];
      return unit === 'points' ? [partnerId] : [];
    }),
  );
  return [...new Set(partners)];
}

/**
 * The organisations that have to approve a version: every owner of a part, and every partner whose points it moves
 * unless the partner waived its approval. For a version that has neither, the organisation that made the campaign.
 */
export function approversOf(campaign: Campaign, waivedBy: Waivers): number[] {
  const partners = partnersOfPoints(campaign).filter((partnerId) => !waivedBy.has(partnerId));
  const approvers = [...new Set([...ownersOfParts(campaign), ...partners])];
  return approvers.length > 0 ? approvers : [campaign.ownerId];
}

/** The organisations whose approval a version still needs. */
export function missingApprovals(
  { campaign, approvals }: Omit<CampaignDraft, 'rejection'>,
  waivedBy: Waivers,
): number[] {
  return approversOf(campaign, waivedBy).filter((id) => !approvals.some(({ organisationId }) => organisationId === id));
}

/** Whether an organisation may approve and reject a version: a side of its partnership, or a partner whose points it moves. */
export function mayReview(organisationId: number, campaign: Campaign): boolean {
  return isSide(organisationId, campaign) || partnersOfPoints(campaign).includes(organisationId);
}
