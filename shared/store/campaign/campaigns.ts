import { indexPartitions, partitions } from '../../contracts/table.ts';
import { Campaign, isListed } from '../../domain/campaign/document/campaign.ts';
import { timeOf } from '../../domain/instant.ts';
import type { Totals } from '../../domain/ledger/totals.ts';
import { Partnership } from '../../domain/partnership.ts';
import { readCampaignCounters, totalsIn } from '../ledger/totals.ts';
import { type Condition, defineEntity, type Item, type Write } from '../table/items.ts';
import { type ListPage, type PageRange, readPage } from '../table/list-page.ts';
import type { TableClient } from '../table/table-client.ts';
import { campaignRowWrites, campaignSources, parseCampaignRow } from './campaign-list.ts';

/**
 * Partnerships and their campaigns. They share a partition, and each is in the index of both its
 * sides. A campaign that was approved stands there by when it ends: what ran at an instant, or will
 * later, is one range, also of an instant that is over. Partnerships come right behind those without
 * an end, so that one query finds all that a purchase may earn under and nothing that was over by then.
 */

const campaignPrefix = 'CAMPAIGN#';
const partition = (uuid: string) => `${partitions.partnership}${uuid}`;
const partnerships = defineEntity(Partnership, (uuid: string) => ({ pk: partition(uuid), sk: 'PARTNERSHIP' }));
const campaigns = defineEntity(Campaign, (partnershipUuid: string, id: number) => ({
  pk: partition(partnershipUuid),
  sk: `${campaignPrefix}${id}`,
}));

const partnershipPrefix = 'PARTNERSHIP#';
const offeredPrefix = 'OFFERED#';
/** Behind all sort keys of a prefix. */
const last = '\uffff';

/** The index attributes that list a thing on both sides of its partnership. */
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

/** The latest instant that ISO 8601 writes with four digits of the year, and so the last one in the order of text. */
const never = Date.parse('9999-12-31T23:59:59.999Z');

/** What campaigns stand under that end at an instant. */
const offeredUntil = (time: number) => `${offeredPrefix}${new Date(Math.min(time, never)).toISOString()}#`;

/** Where in the index a campaign stands: by its end, if it rewards anything that happened before. */
function indexPrefixOf(campaign: Campaign): string {
  const { endsAt, status } = campaign;
  if (!isListed(campaign) || (endsAt === null && status === 'ENDED')) return campaignPrefix;
  return offeredUntil(endsAt === null ? never : timeOf(endsAt));
}

/** A partnership with everything that lies in its partition. */
export interface PartnershipWithCampaigns {
  readonly partnership: Partnership;
  readonly totals: Totals;
  readonly campaigns: readonly CampaignWithTotals[];
}

/** A campaign with what was moved under it. */
export interface CampaignWithTotals {
  readonly campaign: Campaign;
  readonly totals: Totals;
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
      campaigns: campaignsIn(items).map((campaign) => ({ campaign, totals: totals.ofCampaign(campaign.id) })),
    };
  }

  /** A partnership alone; undefined when there is none. */
  async findPartnership(uuid: string): Promise<Partnership | undefined> {
    const item = await this.#table.get(partnerships.key(uuid));
    return item && partnerships.parse(item);
  }

  /** The version of a campaign that runs, or ran; undefined while none was approved. */
  async find(partnershipUuid: string, id: number): Promise<Campaign | undefined> {
    const item = await this.#table.get(campaigns.key(partnershipUuid, id));
    return item && campaigns.parse(item);
  }

  /** Every campaign of one side that was approved once, those that are over included; eventually consistent. */
  async approvedOf(side: 'byMerchant' | 'byPartner', organisationId: number): Promise<Campaign[]> {
    const prefixes = [offeredPrefix, campaignPrefix];
    const found = await Promise.all(prefixes.map((prefix) => this.#ofSide(side, organisationId, prefix)));
    return found.flat().map(campaigns.parse);
  }

  /** The partnerships of one side, deleted ones left out; eventually consistent. */
  async partnershipsOf(side: 'byMerchant' | 'byPartner', organisationId: number): Promise<Partnership[]> {
    const items = await this.#ofSide(side, organisationId, partnershipPrefix);
    return items.map(partnerships.parse).filter(({ isDeleted }) => !isDeleted);
  }

  /**
   * The campaigns of a merchant, or of another side, that are not over at an instant, whatever became of them
   * since; which of them reward what happened then, `isRunning` tells. Eventually consistent.
   */
  async runningOf(
    organisationId: number,
    at: Date,
    side: 'byMerchant' | 'byPartner' = 'byMerchant',
  ): Promise<Campaign[]> {
    const items = await this.#table.query({
      index: side,
      partition: `${indexPartitions[side]}${organisationId}`,
      sortBetween: [offeredUntil(at.getTime()), offeredPrefix + last],
    });
    return items.map(campaigns.parse);
  }

  /**
   * What a purchase that was made at an instant may earn under: the merchant's partnerships, deleted ones left out,
   * and its campaigns as {@link runningOf} finds them. One read, for nothing stands between them in the index;
   * eventually consistent.
   */
  async offeredBy(merchantId: number, at: Date): Promise<{ partnerships: Partnership[]; campaigns: Campaign[] }> {
    const items = await this.#table.query({
      index: 'byMerchant',
      partition: `${indexPartitions.byMerchant}${merchantId}`,
      sortBetween: [offeredUntil(at.getTime()), partnershipPrefix + last],
    });
    return { partnerships: partnershipsIn(items), campaigns: campaignsIn(items) };
  }

  /**
   * One page of the campaigns of some types that an organisation may see, the newest first. They contain only the
   * rules that lists show.
   */
  async listed(
    organisationId: number,
    types: ReadonlySet<Campaign['type']>,
    range: PageRange,
  ): Promise<ListPage<Campaign>> {
    const page = await readPage(this.#table, campaignSources(organisationId, types), range);
    return { ...page, items: page.items.map(parseCampaignRow) };
  }

  /** Campaigns with their totals, in one round of reads and in their order; without those of deleted partnerships. */
  async withTotals(listed: readonly Campaign[]): Promise<CampaignWithTotals[]> {
    const byPartnership = Map.groupBy(listed, ({ partnershipUuid }) => partnershipUuid);
    const [heads, counters] = await Promise.all([
      this.#table.getAll([...byPartnership.keys()].map((uuid) => partnerships.key(uuid))),
      Promise.all([...byPartnership].map(([uuid, own]) => readCampaignCounters(this.#table, uuid, own.map(idOf)))),
    ]);
    const alive = new Set(partnershipsIn(heads).map(({ uuid }) => uuid));
    const totals = totalsIn(counters.flat());
    return listed
      .filter(({ partnershipUuid }) => alive.has(partnershipUuid))
      .map((campaign) => ({ campaign, totals: totals.ofCampaign(campaign.id) }));
  }

  #ofSide(index: 'byMerchant' | 'byPartner', organisationId: number, sortBeginsWith: string): Promise<Item[]> {
    return this.#table.query({ index, partition: `${indexPartitions[index]}${organisationId}`, sortBeginsWith });
  }
}

/** The partnerships among some items, deleted ones left out. */
function partnershipsIn(items: readonly Item[]): Partnership[] {
  return items
    .filter(({ sk }) => sk === 'PARTNERSHIP')
    .map(partnerships.parse)
    .filter(({ isDeleted }) => !isDeleted);
}

function campaignsIn(items: readonly Item[]): Campaign[] {
  return items.filter(({ sk }) => sk.startsWith(campaignPrefix)).map(campaigns.parse);
}

const idOf = ({ id }: Campaign): number => id;

/** The write of a partnership, new or changed. */
export function partnershipWrite(partnership: Partnership): Write {
  const attributes = listed(partnership, partnershipPrefix, partnership.uuid);
  return { kind: 'put', item: partnerships.item(partnerships.key(partnership.uuid), partnership, attributes) };
}

/**
 * The write that has a partnership begin or stop to reward, on the condition that it does not yet.
 * A partnership that is deleted stays as it is.
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

/** The writes of a campaign, new or changed, and of its rows in the lists of both sides; the campaign's comes first. */
export function campaignWrites(campaign: Campaign, when: readonly Condition[] = []): Write[] {
  const key = campaigns.key(campaign.partnershipUuid, campaign.id);
  const item = campaigns.item(key, campaign, listed(campaign, indexPrefixOf(campaign), campaign.id));
  return [{ kind: 'put', item, when }, ...campaignRowWrites(campaign)];
}
