import { Campaign } from '../domain/campaign/campaign.ts';
import { Partnership } from '../domain/partnership.ts';
import type { Totals } from '../domain/totals.ts';
import { defineEntity } from './entity.ts';
import { indexPartitions, partitions } from './table.ts';
import type { TableClient } from './table-client.ts';
import { totalsIn } from './totals.ts';
import type { Item, Write } from './writes.ts';

/**
 * Partnerships and their campaigns. They share a partition, and each is in the index of both its
 * sides; a campaign stands under `RUNNING#` there while it can reward anything, so that one query
 * finds what a purchase may earn without reading what is over.
 */

const partition = (uuid: string) => `${partitions.partnership}${uuid}`;
const partnerships = defineEntity(Partnership, (uuid: string) => ({ pk: partition(uuid), sk: 'PARTNERSHIP' }));
const campaigns = defineEntity(Campaign, (partnershipUuid: string, id: number) => ({
  pk: partition(partnershipUuid),
  sk: `CAMPAIGN#${id}`,
}));

const partnershipPrefix = 'PARTNERSHIP#';
const runningPrefix = 'RUNNING#';

/** The index attributes that list a thing on both sides of its partnership. */
function listed(
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

const runnable: ReadonlySet<Campaign['status']> = new Set(['SCHEDULED', 'ACTIVE', 'PAUSED']);

/** A partnership with everything that lies in its partition. */
export interface PartnershipWithCampaigns {
  readonly partnership: Partnership;
  readonly totals: Totals;
  readonly campaigns: readonly { readonly campaign: Campaign; readonly totals: Totals }[];
}

export class Campaigns {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** A partnership with its campaigns and the totals of all of them, in one read; undefined when there is none. */
  async partnership(uuid: string): Promise<PartnershipWithCampaigns | undefined> {
    const items = await this.#table.query({ partition: partition(uuid) });
    const head = items.find(({ sk }) => sk === 'PARTNERSHIP');
    if (head === undefined) return undefined;
    const totals = totalsIn(items);
    return {
      partnership: partnerships.parse(head),
      totals: totals.partnership,
      campaigns: items
        .filter(({ sk }) => sk.startsWith('CAMPAIGN#'))
        .map(campaigns.parse)
        .map((campaign) => ({ campaign, totals: totals.ofCampaign(campaign.id) })),
    };
  }

  /** The partnerships of one side, deleted ones left out; eventually consistent. */
  async partnershipsOf(side: 'byMerchant' | 'byPartner', organisationId: number): Promise<Partnership[]> {
    const items = await this.#ofSide(side, organisationId, partnershipPrefix);
    return items.map(partnerships.parse).filter(({ isDeleted }) => !isDeleted);
  }

  /** The campaigns of a merchant that may reward something now or later; eventually consistent. */
  async runningOf(merchantId: number): Promise<Campaign[]> {
    return (await this.#ofSide('byMerchant', merchantId, runningPrefix)).map(campaigns.parse);
  }

  #ofSide(index: 'byMerchant' | 'byPartner', organisationId: number, sortBeginsWith: string): Promise<Item[]> {
    return this.#table.query({ index, partition: `${indexPartitions[index]}${organisationId}`, sortBeginsWith });
  }
}

/** The write of a partnership, new or changed. */
export function partnershipWrite(partnership: Partnership): Write {
  const attributes = listed(partnership, partnershipPrefix, partnership.uuid);
  return { kind: 'put', item: partnerships.item(partnerships.key(partnership.uuid), partnership, attributes) };
}

/** The write of a campaign, new or changed. */
export function campaignWrite(campaign: Campaign): Write {
  const prefix = runnable.has(campaign.status) && !campaign.isDeleted ? runningPrefix : 'CAMPAIGN#';
  const key = campaigns.key(campaign.partnershipUuid, campaign.id);
  return { kind: 'put', item: campaigns.item(key, campaign, listed(campaign, prefix, campaign.id)) };
}
