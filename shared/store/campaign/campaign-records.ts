import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { CampaignDue } from '../../contracts/events.ts';
import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { indexPartitions, partitions, tableIndexes, ttlAttribute } from '../../contracts/table.ts';
import type { CampaignChange } from '../../domain/campaign/authoring/lifecycle.ts';
import {
  ApprovedVersion,
  type Campaign,
  CampaignRecord,
  campaignStatesBefore,
  dueTimesOf,
  type ManagedCampaign,
  nextDueOf,
} from '../../domain/campaign/document/campaign.ts';
import { campaignEvent, outboxWrite } from '../outbox/outbox.ts';
import {
  type Condition,
  ConditionFailedError,
  defineEntity,
  type Item,
  isNew,
  Repository,
  type TableClient,
  type Write,
  type WriteContext,
} from '../table/table-client.ts';
import { reviewRowWrites } from './campaign-list.ts';
import { Campaigns, campaignWrites } from './campaigns.ts';
import { listed } from './partnerships.ts';

/**
 * Campaigns as their authors edit them. The live version is in the partition of its partnership. The campaign's own
 * partition contains the record with the draft, and every approved version. Only authors of the campaign read this
 * partition.
 */

const partition = (id: number) => `${partitions.campaign}${id}`;
const records = defineEntity(CampaignRecord, (id: number) => ({ pk: partition(id), sk: 'RECORD' }));
const versionPrefix = 'VERSION#';
/** Pads numbers to one width, so the texts sort like numbers. */
const versions = defineEntity(ApprovedVersion, (id: number, version: number) => ({
  pk: partition(id),
  sk: versionPrefix + String(version).padStart(6, '0'),
}));

/** For each name of a campaign document in a partnership: the campaign to which the document was last applied. */
const applied = defineEntity(z.object({ campaignId: z.int() }), (partnershipUuid: string, name: string) => ({
  pk: `${partitions.campaign}APPLIED#${partnershipUuid}`,
  sk: createHash('sha256').update(name).digest('hex'),
}));

/** For each request to create a campaign, by its id: the campaign that it created. */
const requested = defineEntity(z.object({ campaignId: z.int() }), (organisationId: number, requestId: string) => ({
  pk: `${partitions.campaign}REQUESTED#${organisationId}`,
  sk: requestId,
}));

const draftPrefix = 'DRAFT#';

/** One partition for all campaigns: they change a few times a day, and one query finds the overdue ones. */
const duePartition = `${indexPartitions.due}CAMPAIGNS`;

/** The campaign was changed since it was read. */
export class CampaignConflictError extends Error {
  override readonly name = 'CampaignConflictError';

  constructor(id: number) {
    super(`campaign ${id} was changed since it was read: look at it again`);
  }
}

export class CampaignRecords extends Repository {
  readonly #campaigns: Campaigns;

  constructor(table: TableClient) {
    super(table);
    this.#campaigns = new Campaigns(table);
  }

  /** A campaign by its id, also when it is deleted. */
  async find(id: number): Promise<ManagedCampaign | undefined> {
    const item = await this.table.get(records.key(id));
    if (!item) return undefined;
    const record = records.parse(item);
    // A change between the two reads increases the revision. Then the write of a decision that is based on these reads
    // fails.
    return { record, live: (await this.#campaigns.find(record.partnershipUuid, id)) ?? null };
  }

  /**
   * The id of the campaign to which a document of this name was last applied in a partnership. The campaign may have
   * ended, or have another name now.
   */
  async findApplied(partnershipUuid: string, name: string): Promise<number | undefined> {
    const item = await this.table.get(applied.key(partnershipUuid, name));
    return item && applied.parse(item).campaignId;
  }

  /** The id of the campaign that a request of an organisation created. */
  async findRequested(organisationId: number, requestId: string): Promise<number | undefined> {
    const item = await this.table.get(requested.key(organisationId, requestId));
    return item && requested.parse(item).campaignId;
  }

  /**
   * The record of a campaign with the versions that were approved last, the newest first.
   *
   * @param limit of the versions
   */
  async findWithVersions(
    id: number,
    limit: number,
  ): Promise<{ readonly record: CampaignRecord; readonly versions: readonly ApprovedVersion[] } | undefined> {
    const [item, found] = await Promise.all([
      this.table.get(records.key(id)),
      this.table.query({ partition: partition(id), sortBeginsWith: versionPrefix, descending: true, limit }),
    ]);
    return item && { record: records.parse(item), versions: found.map(versions.parse) };
  }

  /** The records with these ids, in no order. */
  async findMany(ids: readonly number[]): Promise<CampaignRecord[]> {
    const items = await this.table.getAll([...new Set(ids)].map((id) => records.key(id)));
    return items.map(records.parse);
  }

  /** An approved version. */
  async version(id: number, version: number): Promise<ApprovedVersion | undefined> {
    const item = await this.table.get(versions.key(id, version));
    return item && versions.parse(item);
  }

  /** The records of one side that have a draft; eventually consistent. */
  async draftsOf(side: 'byMerchant' | 'byPartner', organisationId: number): Promise<CampaignRecord[]> {
    const items = await this.table.query({
      index: side,
      partition: `${indexPartitions[side]}${organisationId}`,
      sortBeginsWith: draftPrefix,
    });
    return items.map(records.parse);
  }

  /** The campaigns that should have started or ended by now, but have not; eventually consistent. */
  async overdue(now: Date): Promise<CampaignDue[]> {
    const sortBetween = ['0', now.toISOString()] as const;
    const items = await this.table.query({ index: 'due', partition: duePartition, sortBetween });
    return items.map(overdueOf);
  }

  /**
   * Writes a change and its events.
   *
   * @param before the campaign that the change was decided from
   * @throws CampaignConflictError when the campaign has changed since
   */
  async write(before: ManagedCampaign, change: CampaignChange, context: WriteContext): Promise<void> {
    try {
      await this.table.transact(changeWrites(before, change, context));
    } catch (error) {
      throw error instanceof ConditionFailedError ? new CampaignConflictError(before.record.id) : error;
    }
  }
}

/** The index contains keys only. The keys contain the id and the instant. */
function overdueOf({ pk, [tableIndexes.due.sort]: place }: Item): CampaignDue {
  const [dueAt = ''] = String(place).split('#');
  return { campaignId: Number(pk.slice(partitions.campaign.length)), dueAt };
}

/** The write of a new campaign, which is a draft. */
export const newCampaignWrite = (campaign: ManagedCampaign): Write => recordWrite(campaign, isNew);

/**
 * The write that stores, for the name of a campaign document, the campaign to which the document was last applied. Its
 * condition fails when another campaign was stored for the name since the name was read.
 *
 * @param replaced the campaign that was stored for the name; undefined when there was none
 */
export function appliedWrite(
  { id: campaignId, partnershipUuid }: CampaignRecord,
  name: string,
  replaced: number | undefined,
): Write {
  const item = applied.item(applied.key(partnershipUuid, name), { campaignId });
  return {
    kind: 'put',
    item,
    when: replaced === undefined ? isNew : [{ attribute: 'campaignId', is: '=', value: replaced }],
  };
}

/** The write that stores which campaign a request created. It fails when the request has created one already. */
export function requestedWrite({ id: campaignId, ownerId, createdAt }: CampaignRecord, requestId: string): Write {
  const ttl = { [ttlAttribute]: toSeconds(Date.parse(createdAt) + retentionMs.idempotentReply) };
  const item = requested.item(requested.key(ownerId, requestId), { campaignId }, ttl);
  return { kind: 'put', item, when: isNew };
}

/** The writes of a change and its events, on the condition that the campaign has not changed since it was read. */
export function changeWrites(
  before: ManagedCampaign,
  { record, live, events, approved }: CampaignChange,
  context: WriteContext,
): Write[] {
  const at = context.now.toISOString();
  const isRescheduled = !areEqual(dueTimesOf(before.live), dueTimesOf(live));
  const unchanged: Condition[] = [{ attribute: 'revision', is: '=', value: before.record.revision }];
  return [
    recordWrite({ record, live }, unchanged),
    ...(live && live !== before.live ? campaignWrites(live, follows(before.live, live)) : []),
    ...(approved ? [versionWrite(approved)] : []),
    ...reviewRowWrites(before.record, record),
    ...events.map((name) => outboxWrite(campaignEvent(name, record, { id: context.nextUuid(), at }))),
    ...(isRescheduled ? [rescheduleWrite(record.id, context)] : []),
  ];
}

/**
 * The condition that the stored version is still `before` and that its state may be followed by the state of `next`.
 * For a first version: that no version exists.
 */
function follows(before: Campaign | null, next: Campaign): readonly Condition[] {
  if (before === null) return isNew;
  const states = before.status === next.status ? [next.status] : campaignStatesBefore(next.status);
  return [
    { attribute: 'status', is: 'in', values: states },
    { attribute: 'version', is: '=', value: before.version },
  ];
}

function areEqual(one: ReturnType<typeof dueTimesOf>, other: ReturnType<typeof dueTimesOf>): boolean {
  return one.start === other.start && one.end === other.end;
}

/** The write that announces a campaign's new schedule to the clock. */
export function rescheduleWrite(id: number, { now, nextUuid }: WriteContext): Write {
  const occurredAt = now.toISOString();
  return outboxWrite({ id: nextUuid(), name: 'campaign_scheduled', entityId: String(id), occurredAt });
}

/**
 * The write of a campaign record. While the campaign has a draft, the indexes list the record for both sides. While a
 * start or an end is due later, the `due` index lists the record for the sweep.
 */
function recordWrite({ record, live }: ManagedCampaign, when: readonly Condition[]): Write {
  const key = records.key(record.id);
  const dueAt = nextDueOf(live);
  const attributes = {
    ...(record.draft && !record.isDeleted && listed(record, draftPrefix, record.id)),
    ...(dueAt !== null && {
      [tableIndexes.due.partition]: duePartition,
      [tableIndexes.due.sort]: `${dueAt}#${key.pk}`,
    }),
  };
  return { kind: 'put', item: records.item(key, record, attributes), when };
}

function versionWrite(approved: ApprovedVersion): Write {
  const { id, version } = approved.campaign;
  return { kind: 'put', item: versions.item(versions.key(id, version), approved), when: isNew };
}
