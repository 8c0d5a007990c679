import * as z from 'zod/mini';
import { validityMs } from '../../contracts/limits.ts';
import { indexPartitions, organisationPartition, partitions } from '../../contracts/table.ts';
import { Campaign, isListed } from '../../domain/campaign/document/campaign.ts';
import { campaignTypes } from '../../domain/campaign/document/kinds/kind.ts';
import type { Totals } from '../../domain/ledger/totals.ts';
import { type PartnerApproval, Partnership, type PartnershipEdit } from '../../domain/partnership.ts';
import { timeOf } from '../../domain/period.ts';
import { readCampaignCounters, totalsIn } from '../ledger/totals.ts';
import { type ListPage, type PageRange, readPage } from '../table/list-page.ts';
import {
  type Check,
  type Condition,
  defineEntity,
  type Item,
  isNew,
  Repository,
  type Write,
} from '../table/table-client.ts';
import { campaignRowWrites, campaignSources, parseCampaignRow } from './campaign-list.ts';

/**
 * Partnerships and their campaigns. A partnership and its campaigns share a partition, and each of them is in the index
 * of both sides. In the index, an approved campaign sorts by its end: the campaigns that end after an instant are one
 * range. Partnerships sort directly after campaigns without an end. So one query reads everything that may reward a
 * purchase.
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
/** After a prefix, this text sorts after all sort keys with the prefix. */
const last = '\uffff';

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
    const items = await this.table.query({ partition: partition(uuid) });
    const head = items.find(({ sk }) => sk === 'PARTNERSHIP');
    if (head === undefined) return undefined;
    const totals = totalsIn(items);
    return {
      partnership: partnerships.parse(head),
      totals: totals.partnership,
      campaigns: campaignsIn(items).map((campaign) => ({ campaign, totals: totals.ofCampaign(campaign.id) })),
    };
  }

  /** A partnership without its campaigns. */
  async findPartnership(uuid: string): Promise<Partnership | undefined> {
    const item = await this.table.get(partnerships.key(uuid));
    return item && partnerships.parse(item);
  }

  /** Reads the partnerships of a merchant, for a decision that changes them. */
  async partnershipsToChange(merchantId: number): Promise<MerchantPartnerships> {
    const [item, listed] = await Promise.all([
      this.table.get(partners.key(merchantId)),
      this.#ofSide('byMerchant', merchantId, partnershipPrefix),
    ]);
    const { revision, partnershipUuids } = item ? partners.parse(item) : { revision: 0, partnershipUuids: [] };
    const uuids = new Set([...partnershipUuids, ...listed.map(partnerships.parse).map(({ uuid }) => uuid)]);
    const found = await this.table.getAll([...uuids].map((uuid) => partnerships.key(uuid)));
    return { merchantId, revision, partnerships: found.map(partnerships.parse) };
  }

  /**
   * The partnerships between a partner and some merchants, except deleted ones; strongly consistent, like
   * {@link partnershipsToChange}.
   */
  async partnershipsWith(partnerId: number, merchantIds: readonly number[]): Promise<Partnership[]> {
    const [items, listed] = await Promise.all([
      this.table.getAll(merchantIds.map((id) => partners.key(id))),
      this.partnershipsOf('byPartner', partnerId),
    ]);
    const uuids = new Set([
      ...items.flatMap((item) => partners.parse(item).partnershipUuids),
      ...listed.map(({ uuid }) => uuid),
    ]);
    const found = await this.table.getAll([...uuids].map((uuid) => partnerships.key(uuid)));
    return partnershipsIn(found).filter((one) => one.partnerId === partnerId);
  }

  /** The live version of a campaign; after the campaign's end, its last version. */
  async find(partnershipUuid: string, id: number): Promise<Campaign | undefined> {
    const item = await this.table.get(campaigns.key(partnershipUuid, id));
    return item && campaigns.parse(item);
  }

  /** The campaigns of one side that were ever approved, ended ones included; eventually consistent. */
  async approvedOf(side: 'byMerchant' | 'byPartner', organisationId: number): Promise<Campaign[]> {
    const prefixes = [offeredPrefix, campaignPrefix];
    const found = await Promise.all(prefixes.map((prefix) => this.#ofSide(side, organisationId, prefix)));
    return found.flat().map(campaigns.parse);
  }

  /** The partnerships of one side, except deleted ones; eventually consistent. */
  async partnershipsOf(side: 'byMerchant' | 'byPartner', organisationId: number): Promise<Partnership[]> {
    const items = await this.#ofSide(side, organisationId, partnershipPrefix);
    return items.map(partnerships.parse).filter(({ isDeleted }) => !isDeleted);
  }

  /** Whether a partner has, or had, a partnership with any merchant. */
  async hasHadPartnership(partnerId: number): Promise<boolean> {
    return (await this.#ofSide('byPartner', partnerId, partnershipPrefix)).length > 0;
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
      sortBetween: [offeredUntil(at.getTime()), offeredPrefix + last],
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
      sortBetween: [offeredUntil(at.getTime()), partnershipPrefix + last],
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
   * The approved campaigns of an organisation that have not ended, sorted by id, with all their rules; strongly
   * consistent, unlike {@link approvedOf}.
   */
  async liveOf(organisationId: number): Promise<Campaign[]> {
    const sources = campaignSources(organisationId, new Set(campaignTypes));
    const rows = await Promise.all(
      sources.map(({ partition: listOf, prefix }) => this.table.query({ partition: listOf, sortBeginsWith: prefix })),
    );
    const live = rows
      .flat()
      .map(parseCampaignRow)
      .filter(({ status }) => status !== 'ENDED');
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

  #ofSide(index: 'byMerchant' | 'byPartner', organisationId: number, sortBeginsWith: string): Promise<Item[]> {
    return this.table.query({ index, partition: `${indexPartitions[index]}${organisationId}`, sortBeginsWith });
  }
}

/** The partnerships among some items, except deleted ones. */
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

/** The writes of a new or changed campaign, followed by the writes of its rows in the lists of both sides. */
export function campaignWrites(campaign: Campaign, when: readonly Condition[] = []): Write[] {
  const key = campaigns.key(campaign.partnershipUuid, campaign.id);
  const item = campaigns.item(key, campaign, listed(campaign, indexPrefixOf(campaign), campaign.id));
  return [{ kind: 'put', item, when }, ...campaignRowWrites(campaign)];
}
