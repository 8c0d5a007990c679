import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { BusEvent } from '../../shared/contracts/events.ts';
import { partitions } from '../../shared/contracts/table.ts';
import type { ChangeContext, Outcome } from '../../shared/domain/campaign/authoring/lifecycle.ts';
import { approve } from '../../shared/domain/campaign/authoring/review.ts';
import type { Campaign, ManagedCampaign } from '../../shared/domain/campaign/document/campaign.ts';
import {
  CampaignConflictError,
  CampaignRecords,
  newCampaignWrite,
} from '../../shared/store/campaign/campaign-records.ts';
import { partnershipWrite } from '../../shared/store/campaign/partnerships.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import { drafted, merchant, own, partner, shared, written } from '../domain/campaign-fixtures.ts';
import { aPartnership, noon } from '../domain/fixtures.ts';
import { knownEventsIn } from './outbox.ts';
import type { TestTable } from './test-table.ts';

export const at = (minutes: number) => new Date(noon.getTime() + minutes * 60_000).toISOString();
export const byMerchant: ChangeContext = { organisationId: merchant, now: noon };
export const byPartner: ChangeContext = { organisationId: partner, now: noon };

type Decide = (campaign: ManagedCampaign) => Outcome | undefined;

/** Manages campaigns of one partnership. For these campaigns it is always noon. */
export class CampaignDesk {
  readonly records: CampaignRecords;
  readonly #table: TestTable;
  #lastId = 100;

  private constructor(table: TestTable) {
    this.#table = table;
    this.records = new CampaignRecords(table.client);
  }

  static async open(table: TestTable): Promise<CampaignDesk> {
    await table.client.write(partnershipWrite(aPartnership()));
    return new CampaignDesk(table);
  }

  /** Creates a draft: in `own` the partner owns every action, in `shared` each side owns one. */
  async begin(make = own, more: Partial<Campaign> = {}): Promise<ManagedCampaign> {
    this.#lastId += 1;
    const campaign = drafted(make({ id: this.#lastId, status: 'DRAFT', startsAt: at(-60), ...more }));
    await this.#table.client.write(newCampaignWrite(campaign));
    return campaign;
  }

  /** Creates a campaign with all approvals. */
  async approved(make = own, more: Partial<Campaign> = {}): Promise<ManagedCampaign> {
    const campaign = await this.begin(make, more);
    if (make === shared) await this.carryOut(campaign, (now) => approve(now, byMerchant));
    return this.carryOut(campaign, (now) => approve(now, byPartner));
  }

  async read({ record }: Pick<ManagedCampaign, 'record'>): Promise<ManagedCampaign> {
    const found = await this.records.find(record.id);
    if (!found) throw new Error('the campaign is missing');
    return found;
  }

  /** Decides about a campaign in its present state and writes the result. */
  async carryOut(campaign: ManagedCampaign, decide: Decide): Promise<ManagedCampaign> {
    await this.#write(await this.read(campaign), decide);
    return this.read(campaign);
  }

  /** Writes several decisions on one campaign in parallel. Returns how many were written. */
  async race(campaign: ManagedCampaign, ...decisions: Decide[]): Promise<number> {
    const now = await this.read(campaign);
    const results = await Promise.allSettled(decisions.map((decide) => this.#write(now, decide)));
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    const foreign = failures.find((reason) => !(reason instanceof CampaignConflictError));
    if (foreign) throw foreign;
    return results.length - failures.length;
  }

  /** Returns every event about a campaign. */
  async events({ record }: Pick<ManagedCampaign, 'record'>): Promise<BusEvent[]> {
    const events: BusEvent[] = [];
    let from: Record<string, unknown> | undefined;
    do {
      const page = await this.#table.documents.send(
        new ScanCommand({
          TableName: this.#table.name,
          ConsistentRead: true,
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      const items = (page.Items ?? []) as Item[];
      events.push(...items.filter(({ pk }) => pk.startsWith(partitions.outbox)).flatMap(knownEventsIn));
      from = page.LastEvaluatedKey;
    } while (from);
    return events.filter(({ entityId }) => entityId === String(record.id));
  }

  /** Returns the names of the campaign's events, sorted. */
  async told(campaign: Pick<ManagedCampaign, 'record'>): Promise<string[]> {
    return (await this.events(campaign)).map(({ name }) => name).toSorted();
  }

  #write(now: ManagedCampaign, decide: Decide): Promise<void> {
    return this.records.write(now, written(decide(now)), { now: noon, nextUuid: () => crypto.randomUUID() });
  }
}
