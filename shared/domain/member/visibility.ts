import type { Partnership } from '../partnership.ts';

/** The parts of a member that an organisation may see. */
export interface Visibility {
  /** The organisation. It sees the id that the member has at this organisation. */
  readonly organisationId: number;
  readonly hasProgram: (partnerId: number) => boolean;
  readonly hasMerchant: (merchantId: number) => boolean;
}

/** An organisation, the partnerships in which it is the merchant, and those in which it is the partner. */
interface PartnershipSides {
  readonly organisationId: number;
  readonly asMerchant: readonly Partnership[];
  readonly asPartner: readonly Partnership[];
}

/** An organisation sees what a member has at this organisation and at those with which it has a partnership. */
export function visibilityOf({ organisationId, asMerchant, asPartner }: PartnershipSides): Visibility {
  const partners = new Set([organisationId, ...asMerchant.map(({ partnerId }) => partnerId)]);
  const merchants = new Set([organisationId, ...asPartner.map(({ merchantId }) => merchantId)]);
  return { organisationId, hasProgram: (id) => partners.has(id), hasMerchant: (id) => merchants.has(id) };
}
