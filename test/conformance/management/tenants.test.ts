import { beforeAll, describe, expect, it } from 'vitest';
import { managementContracts, managementResources } from '../../../functions/management/contracts.ts';
import type { ManagementContract } from '../../../shared/contracts/contract.ts';
import { type StaffRole, staffRoles } from '../../../shared/domain/staff/roles.ts';
import type { Reply } from '../../../shared/http/reply.ts';
import { offerTemplate } from '../../../shared/operations/campaign/manage-templates.ts';
import { launchCampaign } from '../../../shared/operations/campaign/write-campaign.ts';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { registerDemoTiers } from '../../../tools/admin/demo/world.ts';
import { aContext, eventOf, type Request } from '../../support/call.ts';
import { fromEdge, fromPage, openSettings, type SignedInPerson, signIn } from '../../support/dashboard-desk.ts';
import { provisionOrganisation, readDocumentFile } from '../../support/provision.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { openEndpoints, type Row, rows, type Tenants } from './rows.ts';

/**
 * Every endpoint of the dashboard × every role × own organisation, other side, outsider, signed out. An organisation
 * that a person does not belong to gets the same reply as one that does not exist; so does the thing of a stranger.
 */

type Handler = (event: unknown, context: unknown) => Promise<Reply>;
const handlers = new Map<ManagementContract, Handler>();

let tenants: Tenants;
const people = new Map<StaffRole, SignedInPerson>();
let everyRole: SignedInPerson;
let ofOtherSide: SignedInPerson;
let ofOutsider: SignedInPerson;

beforeAll(async () => {
  const world = await makeWorld();
  await openSettings();
  const own = world.demo.merchant.id;
  const stranger = await provisionOrganisation(world.platform, { name: 'Elsewhere Toys', kind: 'MERCHANT' });
  everyRole = await signIn(world, { [own]: staffRoles });
  ofOtherSide = await signIn(world, { [world.demo.partner.id]: staffRoles });
  ofOutsider = await signIn(world, { [stranger.id]: staffRoles });
  for (const role of staffRoles) people.set(role, await signIn(world, { [own]: [role] }));
  const foreign = await foreignThings(world, stranger.id);
  tenants = {
    ...{ world, own, otherSide: world.demo.partner.id, outsider: stranger.id },
    campaigns: { own: world.demo.campaigns.earn, foreign: foreign.campaign },
    templates: { foreign: foreign.template },
    foreignPartnership: foreign.partnership,
    foreignStaffId: ofOtherSide.staff.id,
  };
  for (const [resource, contracts] of Object.entries(managementResources)) {
    const { handler } = await import(`../../../functions/management/${resource}/index.ts`);
    for (const contract of contracts) handlers.set(contract, handler);
  }
});

/** What only the outsider and its partner see. */
async function foreignThings({ platform }: World, merchantId: number) {
  const partner = await provisionOrganisation(platform, { name: 'Elsewhere Points', kind: 'PARTNER' });
  await registerDemoTiers(partner.id, platform);
  const partnership = await createPartnership(
    { name: 'Elsewhere', description: '', merchantId, partnerId: partner.id, allowsCashback: true },
    platform,
  );
  const document = { ...(await readDocumentFile('tools/admin/demo/earn.json')), name: 'Elsewhere campaign' };
  const { id } = await launchCampaign(document, { partnership, as: { id: partner.id } }, platform);
  const template = await offerTemplate({ ...document, flows: [] }, { merchantId }, platform);
  return { campaign: id, partnership: partnership.uuid, template: template.id };
}

/** Sends a request with a revision that nothing has: a permitted change is refused by its revision, and changes nothing. */
async function ask(contract: ManagementContract, parts: Request, headers: Readonly<Record<string, string>>) {
  const sent = { ...headers, ...(contract.namesRevision && { 'If-Match': '"999999"' }) };
  const params = { organisation_id: String(tenants.own), ...parts.params };
  const inPath = Object.entries(params).filter(([name]) => contract.path.includes(`{${name}}`));
  const event = eventOf(contract, { ...parts, params: Object.fromEntries(inPath), headers: sent });
  const { statusCode, body } = await (handlers.get(contract) as Handler)(event, { ...aContext });
  const { request_id, ...content } = JSON.parse(body) as { readonly error?: string; readonly request_id?: string };
  return { status: statusCode, content, verdict: `${statusCode} ${content.error ?? 'ok'}` };
}

const rowsOf = ({ name }: ManagementContract) =>
  Object.entries(rows).filter(([title]) => title.split(' ', 1)[0] === name);
const closed = managementContracts.filter(({ name }) => !(name in openEndpoints));
const cases = closed.flatMap((contract) => rowsOf(contract).map(([title, row]) => [title, contract, row] as const));
const inOrganisations = cases.filter(([, { credential }]) => credential.kind === 'staff');

describe('the matrix of the dashboard', () => {
  it('has a row for every endpoint, and every row has an endpoint', () => {
    const names = managementContracts.map(({ name }) => name);
    const listed = [...Object.keys(rows).map((title) => title.split(' ', 1)[0]), ...Object.keys(openEndpoints)];

    expect([...new Set(listed)].toSorted()).toEqual(names.toSorted());
  });

  it('lets no endpoint do without a session that is not listed as open', () => {
    const without = managementContracts.filter(({ credential }) => credential.kind === 'none').map(({ name }) => name);

    expect(without.toSorted()).toEqual(Object.keys(openEndpoints).toSorted());
  });

  it('asks for things of strangers wherever a path names a thing', () => {
    const naming = cases.filter(([, { path }]) => /\{(?!organisation_id)/.test(path));

    expect(naming.filter(([, , row]) => row.hidden === undefined).map(([title]) => title)).toEqual([]);
  });
});

/** A reply without the id that the request itself named. */
function masked(reply: object, { params = {}, body }: Request): string {
  const ids = [...Object.values(params), ...Object.values(Object(body))].map(String);
  return ids.reduce((text, id) => text.replaceAll(id, '…'), JSON.stringify(reply));
}

const partsOf = (row: Row) => row.ask?.(tenants) ?? {};

describe.each(cases)('%s', (_title, contract, row) => {
  it.each(staffRoles)('permits exactly the promised roles: %s', async (role) => {
    const { verdict } = await ask(contract, partsOf(row), people.get(role)?.headers ?? {});

    expect(verdict === '403 not_permitted' ? 'refused' : 'permitted').toBe(
      row.may.includes(role) ? 'permitted' : 'refused',
    );
    expect(verdict).not.toMatch(/^(401|5\d\d)/);
  });

  it('answers a person who is signed out as promised: with 401, and nothing of anybody in any case', async () => {
    const { verdict, content } = await ask(contract, partsOf(row), { ...fromEdge, ...fromPage });

    expect(verdict).toBe(row.signedOut ?? '401 not_signed_in');
    expect(JSON.stringify(content)).not.toContain('@');
  });
});

describe.each(inOrganisations)('%s', (_title, contract, row) => {
  it('hides the organisation from the other side and from outsiders, as if there were none', async () => {
    const absent = await ask(
      contract,
      { ...partsOf(row), params: { ...partsOf(row).params, organisation_id: '987654' } },
      everyRole.headers,
    );
    const replies = await Promise.all(
      [ofOtherSide, ofOutsider].map(({ headers }) => ask(contract, partsOf(row), headers)),
    );

    expect(absent.verdict).toBe('404 not_found');
    for (const reply of replies) expect(reply).toEqual(absent);
  });
});

describe.each(inOrganisations.filter(([, , row]) => row.hidden))('%s', (_title, contract, row) => {
  it('shows nothing of a stranger, as if there were nothing', async () => {
    const [absent, ...foreign] = row.hidden?.(tenants) ?? [{}];
    const seen = async (parts: Request) => masked(await ask(contract, parts, everyRole.headers), parts);
    const expected = await seen(absent);

    expect(expected).toMatch(/"status":4/);
    for (const parts of foreign) expect(await seen(parts)).toBe(expected);
  });
});
