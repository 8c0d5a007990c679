import { beforeAll } from 'vitest';
import { contract as actContract } from '../../../functions/management/campaigns/act-on-campaign/contract.ts';
import { handler as actHandler } from '../../../functions/management/campaigns/act-on-campaign/handler.ts';
import { contract as createContract } from '../../../functions/management/campaigns/create-campaign/contract.ts';
import { handler as createHandler } from '../../../functions/management/campaigns/create-campaign/handler.ts';
import { contract as deleteContract } from '../../../functions/management/campaigns/delete-campaign/contract.ts';
import { handler as deleteHandler } from '../../../functions/management/campaigns/delete-campaign/handler.ts';
import { contract as getContract } from '../../../functions/management/campaigns/get-campaign/contract.ts';
import { handler as getHandler } from '../../../functions/management/campaigns/get-campaign/handler.ts';
import { contract as versionContract } from '../../../functions/management/campaigns/get-version/contract.ts';
import { handler as versionHandler } from '../../../functions/management/campaigns/get-version/handler.ts';
import { contract as historyContract } from '../../../functions/management/campaigns/list-campaign-history/contract.ts';
import { handler as historyHandler } from '../../../functions/management/campaigns/list-campaign-history/handler.ts';
import { contract as listContract } from '../../../functions/management/campaigns/list-campaigns/contract.ts';
import { handler as listHandler } from '../../../functions/management/campaigns/list-campaigns/handler.ts';
import { contract as saveContract } from '../../../functions/management/campaigns/save-campaign/contract.ts';
import { handler as saveHandler } from '../../../functions/management/campaigns/save-campaign/handler.ts';
import type { AnyContract } from '../../../shared/contracts/contract.ts';
import type { StaffRole } from '../../../shared/domain/staff/roles.ts';
import { type Answer, call, type Request } from '../../support/call.ts';
import { openSettings, type SignedInPerson, signIn } from '../../support/dashboard-desk.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** Calls the endpoints of campaigns as people at the dashboard, in the demonstration's world. */

export let world: World;
/** Creates a world for a test file. Races need DynamoDB Local. */
export function useOffice(): void {
  beforeAll(async () => {
    world = await makeWorld({ onDynamoDb: true });
    await openSettings();
  });
}

/** A person who acts for an organisation. */
export class Colleague {
  readonly organisationId: number;
  readonly person: SignedInPerson;

  private constructor(organisationId: number, person: SignedInPerson) {
    this.organisationId = organisationId;
    this.person = person;
  }

  /** Adds a person with roles in an organisation. */
  static async hire(organisationId: number, roles: readonly StaffRole[]): Promise<Colleague> {
    return new Colleague(organisationId, await signIn(world, { [organisationId]: roles }));
  }

  /** Adds one person with roles in several organisations: a colleague in each. */
  static async hireForAll<const Ids extends readonly number[]>(organisationIds: Ids, roles: readonly StaffRole[]) {
    const person = await signIn(world, Object.fromEntries(organisationIds.map((id) => [id, roles])));
    return organisationIds.map((id) => new Colleague(id, person)) as { [Place in keyof Ids]: Colleague };
  }

  /** Sends a request. `revision` goes into `If-Match`. */
  ask(
    handler: unknown,
    contract: AnyContract,
    { revision, params, ...more }: Request & { revision?: number } = {},
  ): Promise<Answer> {
    const headers = { ...this.person.headers, ...(revision !== undefined && { 'if-match': `"${revision}"` }) };
    return call(handler, contract, {
      ...more,
      headers,
      params: { organisation_id: String(this.organisationId), ...params },
    });
  }

  list(query: Record<string, string> = {}) {
    return this.ask(listHandler, listContract, { query });
  }

  get(id: number) {
    return this.ask(getHandler, getContract, { params: { id: String(id) } });
  }

  create(body: object) {
    return this.ask(createHandler, createContract, { body });
  }

  save(id: number, revision: number, document: unknown) {
    return this.ask(saveHandler, saveContract, { params: { id: String(id) }, revision, body: { document } });
  }

  act(id: number, revision: number, act: string, reason?: string) {
    return this.ask(actHandler, actContract, { params: { id: String(id) }, revision, body: { act, reason } });
  }

  delete(id: number, revision: number) {
    return this.ask(deleteHandler, deleteContract, { params: { id: String(id) }, revision });
  }

  version(id: number, version: number) {
    return this.ask(versionHandler, versionContract, { params: { id: String(id), version: String(version) } });
  }

  history(id: number, query: Record<string, string> = {}) {
    return this.ask(historyHandler, historyContract, { params: { id: String(id) }, query });
  }

  /** Creates a draft from a document. Returns the campaign as the reply shows it. */
  async draft(document: object = earn) {
    const { body, status } = await this.create({ partnership_uuid: world.demo.partnership.uuid, document });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.data;
  }
}

/** Saves without naming a revision. */
export const saveBlindly = (colleague: Colleague, id: number, document: unknown) =>
  colleague.ask(saveHandler, saveContract, { params: { id: String(id) }, body: { document } });

export const award = { kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 };
export const earn = { name: 'Spring', type: 'EARN', flows: [{ trigger: { type: 'SPEND' }, actions: [award] }] };
