import { isSide } from '../../partnership.ts';
import { actionKind, type Campaign, type CampaignDraft } from '../document/campaign.ts';
import { ownersOfParts } from '../document/tree.ts';

/** Who has to approve a version of a campaign, and who may take part in its review. */

/** The ids of the partners that waived their approval: a merchant's campaigns may move the points of these partners. */
export type Waivers = ReadonlySet<number>;

/** The partners whose points a campaign awards, takes or transfers, without duplicates. Cashback moves no points. */
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

/** Whether a campaign awards money, which its merchant pays to the members (decision 0130). */
const givesCashback = ({ flows }: Pick<Campaign, 'flows'>): boolean =>
  flows.some(({ actions }) => actions.some(({ kind }) => actionKind(kind).unit === 'cents'));

/**
 * The organisations that have to approve a version: the owners of its parts, the partners whose points the version
 * moves, and the merchant if it has to pay cashback. A partner in `waivedBy` approves only as the owner of a part. If
 * none is left, the organisation that made the campaign approves.
 */
export function approversOf(campaign: Campaign, waivedBy: Waivers): number[] {
  const partners = partnersOfPoints(campaign).filter((partnerId) => !waivedBy.has(partnerId));
  const payers = givesCashback(campaign) ? [campaign.merchantId] : [];
  const approvers = [...new Set([...ownersOfParts(campaign), ...partners, ...payers])];
  return approvers.length > 0 ? approvers : [campaign.ownerId];
}

/** The organisations whose approval a version still needs. */
export function missingApprovals(
  { campaign, approvals }: Omit<CampaignDraft, 'rejection'>,
  waivedBy: Waivers,
): number[] {
  return approversOf(campaign, waivedBy).filter((id) => !approvals.some(({ organisationId }) => organisationId === id));
}

/**
 * Whether an organisation may approve and reject a version: a side of the partnership, or a partner whose points the
 * version moves.
 */
export function mayReview(organisationId: number, campaign: Campaign): boolean {
  return isSide(organisationId, campaign) || partnersOfPoints(campaign).includes(organisationId);
}
