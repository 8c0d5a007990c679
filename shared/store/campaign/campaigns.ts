import { validityMs } from '../../contracts/limits.ts';
import { indexPartitions } from '../../contracts/table.ts';
import { Campaign, isListed } from '../../domain/campaign/document/campaign.ts';
import { campaignTypes } from '../../domain/campaign/document/kinds/kind.ts';
import type { Totals } from '../../domain/ledger/totals.ts';
import type { Partnership } from '../../domain/partnership.ts';
import { timeOf } from '../../domain/period.ts';
import { readCampaignCounters, totalsIn } from '../ledger/totals.ts';
import { type ListPage, type PageRange, readPage } from '../table/list-page.ts';
import { type Condition, defineEntity, type Item, Repository, type Write } from '../table/table-client.ts';
import { campaignRowWrites, campaignSources, parseCampaignRow, parseReviewRow, reviewSource } from './campaign-list.ts';
import {
  campaignPrefix,
  itemsOfSide,
  lastSuffix,
  listed,
  offeredPrefix,
  partnershipPartition,
  partnershipPrefix,
  partnerships,
  partnershipsIn,
} from './partnerships.ts';

/**
 * Campaigns, and reads of a partnership with its campaigns. A partnership and its campaigns share a partition, and each
 * of them is in the index of both sides. In the index, an approved campaign sorts by its end: the campaigns that end
 * after an instant are one range. Partnerships sort directly after campaigns without an end. So one query reads
 * everything that may reward a purchase.
 */

const campaigns = defineEntity(Campaign, (partnershipUuid: string, id: number) => ({
  pk: partnershipPartition(partnershipUuid),
  sk: `${campaignPrefix}${id}`,
}));

/** The last instant with a year of four digits. As text, it sorts after all others. */
const never = Date.parse('9999-12-31T23:59:59.999Z');

/** The prefix of campaigns that end at an instant. */
const offeredUntil = (time: number) => `${offeredPrefix}${new Date(Math.min(time, never)).toISOString()}#`;

/**
 * The prefix of a campaign in the index. An approved campaign is sorted by its end; a campaign without an end comes
 * after all others. The prefix contains no time if the campaign was never approved, or ended without a planned end. A
 * deleted campaign keeps its place, because its tokens may be live for some minutes more: see
 * {@link Campaigns.offeredWithTokens}.
 */
function indexPrefixOf(campaign: Campaign): string {
  const { endsAt, status } = campaign;
  const isApproved = isListed({ ...campaign, isDeleted: false });
  if (!isApproved || (endsAt === null && status === 'ENDED')) return campaignPrefix;
  return offeredUntil(endsAt === null ? never : timeOf(endsAt));
}

/** What may reward a purchase at a merchant. */
interface Offered {
  readonly partnerships: Partnership[];
  readonly campaigns: Campaign[];
}

const isNotDeleted = ({ isDeleted }: Campaign): boolean => !isDeleted;

/** A partnership with its campaigns and totals. */
export interface PartnershipWithCampaigns {
  readonly partnership: Partnership;
  readonly totals: Totals;
  readonly campaigns: readonly CampaignWithTotals[];
}

/** A campaign with its totals. */
export interface CampaignWithTotals {
  readonly campaign: Campaign;
  readonly totals: Totals;
}

export class Campaigns extends Repository {
  /** A partnership with its campaigns and all totals, in one read. */
  async partnership(uuid: string): Promise<PartnershipWithCampaigns | undefined> {
    const items = await this.table.query({ partition: partnershipPartition(uuid) });
    const head = items.find(({ sk }) => sk === 'PARTNERSHIP');
    if (head === undefined) return undefined;
    const totals = totalsIn(items);
    return {
      partnership: partnerships.parse(head),
      totals: totals.partnership,
      campaigns: campaignsIn(items).map((campaign) => ({ campaign, totals: totals.ofCampaign(campaign.id) })),
    };
  }

  /** The live version of a campaign; after the campaign's end, its last version. */
  async find(partnershipUuid: string, id: number): Promise<Campaign | undefined> {
    const item = await this.table.get(campaigns.key(partnershipUuid, id));
    return item && campaigns.parse(item);
  }

  /** The campaigns of one side that were ever approved, ended ones included; eventually consistent. */
  async approvedOf(side: 'byMerchant' | 'byPartner', organisationId: number): Promise<Campaign[]> {
    const prefixes = [offeredPrefix, campaignPrefix];
    const found = await Promise.all(prefixes.map((prefix) => itemsOfSide(this.table, side, organisationId, prefix)));
    return found.flat().map(campaigns.parse);
  }

  /**
   * The campaigns of a side that end after an instant, in any state; eventually consistent. `isRunning` decides which
   * of these campaigns reward an event that happened at the instant.
   */
  async runningOf(
    organisationId: number,
    at: Date,
    side: 'byMerchant' | 'byPartner' = 'byMerchant',
  ): Promise<Campaign[]> {
    const items = await this.table.query({
      index: side,
      partition: `${indexPartitions[side]}${organisationId}`,
      sortBetween: [offeredUntil(at.getTime()), offeredPrefix + lastSuffix],
    });
    return items.map(campaigns.parse).filter(isNotDeleted);
  }

  /**
   * The partnerships and campaigns that may reward a purchase at an instant: the merchant's partnerships and the
   * campaigns that {@link runningOf} finds, except deleted ones. One query; eventually consistent.
   */
  async offeredBy(merchantId: number, at: Date): Promise<Offered> {
    const { partnerships: own, campaigns: all } = await this.#offeredBy(merchantId, at);
    return { partnerships: own, campaigns: all.filter(isNotDeleted) };
  }

  async #offeredBy(merchantId: number, at: Date): Promise<Offered> {
    const items = await this.table.query({
      index: 'byMerchant',
      partition: `${indexPartitions.byMerchant}${merchantId}`,
      sortBetween: [offeredUntil(at.getTime()), partnershipPrefix + lastSuffix],
    });
    return { partnerships: partnershipsIn(items), campaigns: campaignsIn(items) };
  }

  /**
   * Like {@link offeredBy}, but also with deleted campaigns, and with campaigns that ended less than a token's validity
   * ago. A token of such a campaign may be live, so the campaign's program counts among the programs of the merchant.
   */
  offeredWithTokens(merchantId: number, at: Date): Promise<Offered> {
    return this.#offeredBy(merchantId, new Date(at.getTime() - validityMs.transactionToken));
  }

  /**
   * One page of the campaigns of some types that an organisation may see, the newest first. The campaigns contain only
   * the rules that lists show.
   */
  async listed(
    organisationId: number,
    types: ReadonlySet<Campaign['type']>,
    range: PageRange,
  ): Promise<ListPage<Campaign>> {
    const page = await readPage(this.table, campaignSources(organisationId, types), range);
    return { ...page, items: page.items.map(parseCampaignRow) };
  }

  /**
   * The approved campaigns of some types that an organisation may see, ended ones included, as lists show them;
   * strongly consistent.
   */
  async rowsOf(organisationId: number, types: ReadonlySet<Campaign['type']>): Promise<Campaign[]> {
    const rows = await Promise.all(
      campaignSources(organisationId, types).map(({ partition, prefix }) =>
        this.table.query({ partition, sortBeginsWith: prefix }),
      ),
    );
    return rows.flat().map(parseCampaignRow);
  }

  /** The versions in review that wait for an organisation on neither side of their campaigns. */
  async reviewsFor(organisationId: number): Promise<Campaign[]> {
    const { partition, prefix } = reviewSource(organisationId);
    return (await this.table.query({ partition, sortBeginsWith: prefix })).map(parseReviewRow);
  }

  /** The totals of some campaigns of one partnership. */
  async totalsOf(partnershipUuid: string, ids: readonly number[]): Promise<(campaignId: number) => Totals> {
    if (ids.length === 0) return totalsIn([]).ofCampaign;
    return totalsIn(await readCampaignCounters(this.table, partnershipUuid, ids)).ofCampaign;
  }

  /**
   * The approved campaigns of an organisation that have not ended, sorted by id, with all their rules; strongly
   * consistent, unlike {@link approvedOf}.
   */
  async liveOf(organisationId: number): Promise<Campaign[]> {
    const rows = await this.rowsOf(organisationId, new Set(campaignTypes));
    const live = rows.filter(({ status }) => status !== 'ENDED');
    const items = await this.table.getAll(live.map(({ partnershipUuid, id }) => campaigns.key(partnershipUuid, id)));
    const found = items.map(campaigns.parse).filter(({ status }) => status !== 'ENDED');
    return found.sort((one, other) => one.id - other.id);
  }

  /**
   * The campaigns with their totals, in the same order, from one round of reads. Campaigns of deleted partnerships are
   * left out.
   */
  async withTotals(listed: readonly Campaign[]): Promise<CampaignWithTotals[]> {
    const byPartnership = Map.groupBy(listed, ({ partnershipUuid }) => partnershipUuid);
    const [heads, counters] = await Promise.all([
      this.table.getAll([...byPartnership.keys()].map((uuid) => partnerships.key(uuid))),
      Promise.all([...byPartnership].map(([uuid, own]) => readCampaignCounters(this.table, uuid, own.map(idOf)))),
    ]);
    const alive = new Set(partnershipsIn(heads).map(({ uuid }) => uuid));
    const totals = totalsIn(counters.flat());
    return listed
      .filter(({ partnershipUuid }) => alive.has(partnershipUuid))
      .map((campaign) => ({ campaign, totals: totals.ofCampaign(campaign.id) }));
  }
}

function campaignsIn(items: readonly Item[]): Campaign[] {
  return items.filter(({ sk }) => sk.startsWith(campaignPrefix)).map(campaigns.parse);
}

const idOf = ({ id }: Campaign): number => id;

/** The writes of a new or changed campaign, followed by the writes of its rows in the lists of both sides. */
export function campaignWrites(campaign: Campaign, when: readonly Condition[] = []): Write[] {
  const key = campaigns.key(campaign.partnershipUuid, campaign.id);
  const item = campaigns.item(key, campaign, listed(campaign, indexPrefixOf(campaign), campaign.id));
  return [{ kind: 'put', item, when }, ...campaignRowWrites(campaign)];
}
