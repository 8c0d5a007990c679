import * as z from 'zod/mini';
import { indexPartitions, organisationPartition, partitions } from '../../contracts/table.ts';
import { type PartnerApproval, Partnership, type PartnershipEdit } from '../../domain/partnership.ts';
import {
  type Check,
  defineEntity,
  type Item,
  isNew,
  Repository,
  type TableClient,
  type Write,
} from '../table/table-client.ts';

export const partnershipPartition = (uuid: string) => `${partitions.partnership}${uuid}`;
export const partnerships = defineEntity(Partnership, (uuid: string) => ({
  pk: partnershipPartition(uuid),
  sk: 'PARTNERSHIP',
}));

export const partnershipPrefix = 'PARTNERSHIP#';
export const campaignPrefix = 'CAMPAIGN#';
/** The prefix of approved campaigns in the index, followed by their ends. */
export const offeredPrefix = 'OFFERED#';
/** After a prefix, this text sorts after all sort keys with the prefix. */
export const lastSuffix = '\uffff';

/** The index attributes that list an item on both sides of its partnership. */
export function listed(
  sides: { readonly merchantId: number; readonly partnerId: number },
  prefix: string,
  id: string | number,
) {
  return {
    merchantPk: `${indexPartitions.byMerchant}${sides.merchantId}`,
    merchantSk: `${prefix}${sides.partnerId}#${id}`,
    partnerPk: `${indexPartitions.byPartner}${sides.partnerId}`,
    partnerSk: `${prefix}${sides.merchantId}#${id}`,
  };
}

/**
 * Every partnership that a merchant has had. A write that makes or activates a partnership also changes this item. So
 * when two such writes happen at the same time, one of them is decided again and sees the partnership of the other
 * write.
 */
const Partners = z.object({ merchantId: z.int(), revision: z.int(), partnershipUuids: z.array(z.string()) });
const partners = defineEntity(Partners, (merchantId: number) => ({
  pk: organisationPartition(merchantId),
  sk: 'PARTNERS',
}));

const CampaignId = z.object({ id: z.int() });

/** The partnerships of a merchant, and the revision that a change of them depends on. */
export interface MerchantPartnerships {
  readonly merchantId: number;
  readonly revision: number;
  /**
   * Includes deleted partnerships. Strongly consistent, except for partnerships that are older than the `PARTNERS`
   * item.
   */
  readonly partnerships: readonly Partnership[];
}

/** Partnerships without their campaigns. */
export class Partnerships extends Repository {
  async find(uuid: string): Promise<Partnership | undefined> {
    const item = await this.table.get(partnerships.key(uuid));
    return item && partnerships.parse(item);
  }

  /** Reads the partnerships of a merchant, for a decision that changes them. */
  async toChange(merchantId: number): Promise<MerchantPartnerships> {
    const [item, listed] = await Promise.all([
      this.table.get(partners.key(merchantId)),
      itemsOfSide(this.table, 'byMerchant', merchantId, partnershipPrefix),
    ]);
    const { revision, partnershipUuids } = item ? partners.parse(item) : { revision: 0, partnershipUuids: [] };
    const uuids = new Set([...partnershipUuids, ...listed.map(partnerships.parse).map(({ uuid }) => uuid)]);
    const found = await this.table.getAll([...uuids].map((uuid) => partnerships.key(uuid)));
    return { merchantId, revision, partnerships: found.map(partnerships.parse) };
  }

  /**
   * The partnerships between a partner and some merchants, except deleted ones; strongly consistent, like
   * {@link toChange}.
   */
  async between(partnerId: number, merchantIds: readonly number[]): Promise<Partnership[]> {
    const [items, listed] = await Promise.all([
      this.table.getAll(merchantIds.map((id) => partners.key(id))),
      this.of('byPartner', partnerId),
    ]);
    const uuids = new Set([
      ...items.flatMap((item) => partners.parse(item).partnershipUuids),
      ...listed.map(({ uuid }) => uuid),
    ]);
    const found = await this.table.getAll([...uuids].map((uuid) => partnerships.key(uuid)));
    return partnershipsIn(found).filter((one) => one.partnerId === partnerId);
  }

  /** The partnerships of one side, except deleted ones; eventually consistent. */
  async of(side: 'byMerchant' | 'byPartner', organisationId: number): Promise<Partnership[]> {
    const items = await itemsOfSide(this.table, side, organisationId, partnershipPrefix);
    return items.map(partnerships.parse).filter(({ isDeleted }) => !isDeleted);
  }

  /** The ids of the campaigns of one side that were ever approved, ended ones included; eventually consistent. */
  async campaignIdsOf(side: 'byMerchant' | 'byPartner', organisationId: number): Promise<number[]> {
    const prefixes = [offeredPrefix, campaignPrefix];
    const found = await Promise.all(prefixes.map((prefix) => itemsOfSide(this.table, side, organisationId, prefix)));
    return found.flat().map((item) => CampaignId.parse(item).id);
  }

  /** Whether a partner has, or had, a partnership with any merchant. */
  async hasExistedFor(partnerId: number): Promise<boolean> {
    return (await itemsOfSide(this.table, 'byPartner', partnerId, partnershipPrefix)).length > 0;
  }
}

/** The items of one side in the index whose sort keys begin with a prefix. */
export const itemsOfSide = (
  table: TableClient,
  index: 'byMerchant' | 'byPartner',
  organisationId: number,
  sortBeginsWith: string,
): Promise<Item[]> => table.query({ index, partition: `${indexPartitions[index]}${organisationId}`, sortBeginsWith });

/** The partnerships among some items, except deleted ones. */
export function partnershipsIn(items: readonly Item[]): Partnership[] {
  return items
    .filter(({ sk }) => sk === 'PARTNERSHIP')
    .map(partnerships.parse)
    .filter(({ isDeleted }) => !isDeleted);
}

/** The write of a new or changed partnership. */
export function partnershipWrite(partnership: Partnership): Write {
  const attributes = listed(partnership, partnershipPrefix, partnership.uuid);
  return { kind: 'put', item: partnerships.item(partnerships.key(partnership.uuid), partnership, attributes) };
}

/**
 * The write that adds a partnership to the list of a merchant's partnerships.
 *
 * @returns a write whose condition fails when the list was changed since it was read
 */
export function partnersWrite(
  { merchantId, revision, partnerships: known }: MerchantPartnerships,
  uuid: string,
): Write {
  const partnershipUuids = [...new Set([...known.map((one) => one.uuid), uuid])];
  return {
    kind: 'put',
    item: partners.item(partners.key(merchantId), { merchantId, revision: revision + 1, partnershipUuids }),
    when: revision === 0 ? isNew : [{ attribute: 'revision', is: '=', value: revision }],
  };
}

/**
 * The write that activates or deactivates a partnership, on the condition that the partnership is in the opposite state
 * and not deleted.
 */
export function activationWrite(uuid: string, isActive: boolean): Write {
  return {
    kind: 'update',
    key: partnerships.key(uuid),
    changes: { set: { isActive } },
    when: [
      { attribute: 'isActive', is: '=', value: !isActive },
      { attribute: 'isDeleted', is: '=', value: false },
    ],
  };
}

/** The write by which a partner waives its approval of campaigns that move its points, or withdraws the waiver. */
export function partnerApprovalWrite(uuid: string, partnerApproval: PartnerApproval): Write {
  return {
    kind: 'update',
    key: partnerships.key(uuid),
    changes: { set: { partnerApproval } },
    when: [{ attribute: 'isDeleted', is: '=', value: false }],
  };
}

/**
 * The write of edited attributes, on the condition that the partnership is not deleted and was not edited since it was
 * read.
 */
export function partnershipEditWrite({ uuid, revision }: Partnership, set: PartnershipEdit): Write {
  return {
    kind: 'update',
    key: partnerships.key(uuid),
    changes: { set: { ...set, revision: (revision ?? 0) + 1 } },
    when: [
      { attribute: 'isDeleted', is: '=', value: false },
      revision === undefined
        ? { attribute: 'revision', is: 'absent' }
        : { attribute: 'revision', is: '=', value: revision },
    ],
  };
}

/** The write that deletes a partnership, on the condition that it is inactive and not deleted. */
export function partnershipDeletionWrite(uuid: string): Write {
  return {
    kind: 'update',
    key: partnerships.key(uuid),
    changes: { set: { isDeleted: true } },
    when: [
      { attribute: 'isActive', is: '=', value: false },
      { attribute: 'isDeleted', is: '=', value: false },
    ],
  };
}

/** The condition that the partner of a partnership still waives its approval. */
export const waiverCheck = ({ uuid }: Partnership): Check => ({
  kind: 'check',
  key: partnerships.key(uuid),
  when: [{ attribute: 'partnerApproval', is: '=', value: 'not_needed' }],
});
