import type { Partnership } from '../partnership.ts';

/** The parts of a member that an organisation may see. */
export interface Visibility {
  /** The organisation. It sees its own id of the member. */
  readonly organisationId: number;
  readonly hasProgram: (partnerId: number) => boolean;
  readonly hasMerchant: (merchantId: number) => boolean;
}

/** An organisation with its partnerships, by its role in them. */
interface PartnershipSides {
  readonly organisationId: number;
  readonly asMerchant: readonly Partnership[];
  readonly asPartner: readonly Partnership[];
}

/** An organisation sees the records of a member at itself, and at the organisations with which it has a partnership. */
export function visibilityOf({ organisationId, asMerchant, asPartner }: PartnershipSides): Visibility {
  const partners = new Set([organisationId, ...asMerchant.map(({ partnerId }) => partnerId)]);
  const merchants = new Set([organisationId, ...asPartner.map(({ merchantId }) => merchantId)]);
  return { organisationId, hasProgram: (id) => partners.has(id), hasMerchant: (id) => merchants.has(id) };
}
