import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, it, vi } from 'vitest';
import { managementResources } from '../../../functions/management/contracts.ts';
import { staffRoles } from '../../../shared/domain/staff/roles.ts';
import { offerTemplate } from '../../../shared/operations/campaign/manage-templates.ts';
import { saveDraft } from '../../../shared/operations/campaign/write-campaign.ts';
import { invitePerson } from '../../../shared/operations/staff/invite-person.ts';
import { call } from '../../support/call.ts';
import { openSettings, type SignedInPerson, signIn } from '../../support/dashboard-desk.ts';
import { readDocumentFile } from '../../support/provision.ts';
import { makeWorld, type World } from '../../support/world.ts';

/**
 * What a person waits for at the dashboard: the reads of the table, one after the other. Once a minute the note that a
 * session is in use comes to them.
 */

const promised = 3;

let world: World;
let person: SignedInPerson;
beforeAll(async () => {
  world = await makeWorld({ onDynamoDb: true });
  await openSettings();
  person = await signIn(world, { [world.demo.merchant.id]: staffRoles });
  const wanted = { organisationId: world.demo.partner.id, email: person.staff.email, roles: ['editor'] as const };
  await invitePerson(wanted, world.platform);
  await invitePerson({ ...wanted, organisationId: world.demo.merchant.id, email: 'x@corner.example' }, world.platform);
  const template = await readDocumentFile('tools/admin/demo/welcome-template.json');
  const earn = await readDocumentFile('tools/admin/demo/earn.json');
  const act = { campaignId: world.demo.campaigns.earn, as: { id: world.demo.merchant.id } };
  await saveDraft({ ...earn, name: 'Next version' }, act, world.platform);
  await offerTemplate(template, { merchantId: world.demo.merchant.id }, world.platform);
});

const reads = Object.entries(managementResources).flatMap(([resource, contracts]) =>
  contracts
    .filter(({ method, credential }) => method === 'GET' && credential.kind !== 'none')
    .map((contract) => [contract.name, resource, contract] as const),
);

/**
 * Counts round trips: calls whose replies arrive together are one. Every reply waits until no call is on its way, so the
 * figure depends on the code alone, and not on which reply is faster.
 */
class RoundTrips {
  count = 0;
  #onTheirWay = 0;
  #arrived: (() => void)[] = [];

  async take<Reply>(send: () => Promise<Reply>): Promise<Reply> {
    this.#onTheirWay += 1;
    const reply = await send().finally(() => {
      this.#onTheirWay -= 1;
    });
    await new Promise<void>((resolve) => {
      this.#arrived.push(resolve);
      setImmediate(() => this.#handOut());
    });
    return reply;
  }

  #handOut(): void {
    if (this.#onTheirWay > 0 || this.#arrived.length === 0) return;
    this.count += 1;
    for (const resolve of this.#arrived.splice(0)) resolve();
  }
}

async function countRoundTrips(work: () => Promise<unknown>): Promise<number> {
  const trips = new RoundTrips();
  const { send } = DynamoDBDocumentClient.prototype;
  const spy = vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(function (
    this: DynamoDBDocumentClient,
    ...sent: unknown[]
  ) {
    return trips.take(() => Reflect.apply(send, this, sent));
  });
  await work();
  spy.mockRestore();
  return trips.count;
}

it.each(reads)(`%s takes at most ${promised} round trips`, async (_, resource, contract) => {
  const { handler } = await import(`../../../functions/management/${resource}/index.ts`);
  const params = {
    organisation_id: String(world.demo.merchant.id),
    id: String(world.demo.campaigns.earn),
    version: '1',
  };
  const inPath = Object.entries(params).filter(([name]) => contract.path.includes(`{${name}}`));
  const ask = () => call(handler, contract, { params: Object.fromEntries(inPath), headers: person.headers });
  expect((await ask()).status).toBe(200);
  expect(await countRoundTrips(ask)).toBeLessThanOrEqual(promised);
});
