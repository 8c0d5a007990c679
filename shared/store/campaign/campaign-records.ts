import type { CampaignDue } from '../../contracts/events.ts';
import { indexPartitions, partitions, tableIndexes } from '../../contracts/table.ts';
import type { CampaignChange } from '../../domain/campaign/authoring/outcome.ts';
import { type Campaign, campaignStatesBefore } from '../../domain/campaign/document/campaign.ts';
import {
  ApprovedVersion,
  CampaignRecord,
  dueTimesOf,
  type ManagedCampaign,
  nextDueOf,
} from '../../domain/campaign/document/record.ts';
import { campaignEvent, outboxWrite } from '../outbox/outbox.ts';
import {
  type Condition,
  ConditionFailedError,
  defineEntity,
  type Item,
  isNew,
  type Write,
  type WriteContext,
} from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';
import { Campaigns, campaignWrites, listed } from './campaigns.ts';

/**
 * Campaigns as their makers work on them. The version that runs lies with its partnership, where everybody
 * reads it; what only its makers read is in a partition of its own, found by the campaign's id alone: the
 * record with the draft, and every version that was ever approved.
 */

const partition = (id: number) => `${partitions.campaign}${id}`;
const records = defineEntity(CampaignRecord, (id: number) => ({ pk: partition(id), sk: 'RECORD' }));
/** Digits of one width, so that text sorts as the number does. */
const versions = defineEntity(ApprovedVersion, (id: number, version: number) => ({
  pk: partition(id),
  sk: `VERSION#${String(version).padStart(6, '0')}`,
}));

const draftPrefix = 'DRAFT#';

/** One partition for all: campaigns change a few times a day, and what is over is found by one query. */
const duePartition = `${indexPartitions.due}CAMPAIGNS`;

/** Somebody else changed the campaign since it was read. */
export class CampaignConflictError extends Error {
  override readonly name = 'CampaignConflictError';

  constructor(id: number) {
    super(`campaign ${id} was changed by somebody else in the meantime: look at it again`);
  }
}

export class CampaignRecords {
  readonly #table: TableClient;
  readonly #campaigns: Campaigns;

  constructor(table: TableClient) {
    this.#table = table;
    this.#campaigns = new Campaigns(table);
  }

  /** A campaign by its id; deleted ones too. */
  async find(id: number): Promise<ManagedCampaign | undefined> {
    const item = await this.#table.get(records.key(id));
    if (!item) return undefined;
    const record = records.parse(item);
    // A change between the two reads makes what is decided from them fail: it counts the revision up.
    return { record, live: (await this.#campaigns.find(record.partnershipUuid, id)) ?? null };
  }

  /** A version that was approved once. */
  async version(id: number, version: number): Promise<ApprovedVersion | undefined> {
    const item = await this.#table.get(versions.key(id, version));
    return item && versions.parse(item);
  }

  /** The records of one side that have a draft; eventually consistent. */
  async draftsOf(side: 'byMerchant' | 'byPartner', organisationId: number): Promise<CampaignRecord[]> {
    const items = await this.#table.query({
      index: side,
      partition: `${indexPartitions[side]}${organisationId}`,
      sortBeginsWith: draftPrefix,
    });
    return items.map(records.parse);
  }

  /** The campaigns that an instant of their schedule is over for, and nobody acted on it; eventually consistent. */
  async overdue(now: Date): Promise<CampaignDue[]> {
    const sortBetween = ['0', now.toISOString()] as const;
    const items = await this.#table.query({ index: 'due', partition: duePartition, sortBetween });
    return items.map(overdueOf);
  }

  /**
   * Writes a change with its events, all or nothing.
   *
   * @param before the campaign that the change was decided from
   * @throws CampaignConflictError when it is not like that any more
   */
  async write(before: ManagedCampaign, change: CampaignChange, context: WriteContext): Promise<void> {
    try {
      await this.#table.transact(changeWrites(before, change, context));
    } catch (error) {
      throw error instanceof ConditionFailedError ? new CampaignConflictError(before.record.id) : error;
    }
  }
}

/** The index holds keys only; they say it all. */
function overdueOf({ pk, [tableIndexes.due.sort]: place }: Item): CampaignDue {
  const [dueAt = ''] = String(place).split('#');
  return { campaignId: Number(pk.slice(partitions.campaign.length)), dueAt };
}

/** The write of a campaign that begins as a draft. */
export const newCampaignWrite = (campaign: ManagedCampaign): Write => recordWrite(campaign, isNew);

/** The writes of a change with its events, on the condition that the campaign is as the change was decided from. */
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
    ...events.map((name) => outboxWrite(campaignEvent(name, record, { id: context.nextUuid(), at }))),
    ...(isRescheduled ? [rescheduleWrite(record.id, context)] : []),
  ];
}

/** What has to be there for a version, or a state of one, to take its place. */
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

/** Has the clock set anew to the schedule of a campaign. */
export function rescheduleWrite(id: number, { now, nextUuid }: WriteContext): Write {
  const occurredAt = now.toISOString();
  return outboxWrite({ id: nextUuid(), name: 'campaign_scheduled', entityId: String(id), occurredAt });
}

/** While there is a draft, each side finds the campaign by it; the sweep does while the clock will change its state. */
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
