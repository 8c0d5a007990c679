import { beforeAll, describe, expect, it } from 'vitest';
import { managementContracts } from '../../functions/management/contracts.ts';
import { dashboardHeader } from '../../shared/http/browser-origin.ts';
import { signIn } from '../support/dashboard-desk.ts';
import { readDocumentFile } from '../support/provision.ts';
import { cannot, useFlow } from './support/flow.ts';

// The dashboard's API behind its delivery network, as a browser calls it: with the roles of the deployed functions.

const flow = useFlow();
const site = () => flow.sites?.dashboard ?? '';

let cookie: string;
let organisation: string;
beforeAll(async () => {
  if (cannot.reachTable || !flow.sites?.dashboard) return;
  const { id } = flow.demo.merchant;
  const person = await signIn({ platform: flow.platform }, { [id]: ['owner', 'editor', 'approver'] });
  // Without https, the name of the cookie has no prefix.
  cookie = person.headers.Cookie?.replace('__Host-', '') ?? '';
  organisation = `/organisations/${id}`;
});

interface Asked {
  readonly body?: unknown;
  readonly revision?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(method: string, path: string, { body, revision, headers }: Asked = {}) {
  const response = await fetch(`${site()}/api${path}`, {
    method,
    headers: {
      cookie,
      [dashboardHeader]: '1',
      origin: site(),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(revision !== undefined && { 'if-match': `"${revision}"` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: replies have all shapes
  return { status: response.status, type: response.headers.get('content-type'), body: JSON.parse(text) as any };
}

const lists = managementContracts.filter(
  ({ method, path, credential, query }) =>
    method === 'GET' &&
    credential.kind === 'staff' &&
    !/\{(?!organisation_id)/.test(path) &&
    (!query || 'limit' in query.shape),
);

describe.skipIf(cannot.reachTable || !flow.sites?.dashboard)('the API of the dashboard', () => {
  it('knows the person of the session', async () => {
    const { status, body } = await ask('GET', '/session');

    expect({ status, roles: body.data.organisations[0].roles }).toEqual({
      ...{ status: 200, roles: ['owner', 'editor', 'approver'] },
    });
  });

  it('refuses a forged request and a person without a session', async () => {
    expect((await ask('GET', organisation, { headers: { cookie: '' } })).status).toBe(401);
    const forged = await ask('PUT', organisation, {
      body: {},
      revision: 0,
      headers: { origin: 'https://hostile.example' },
    });
    expect(forged).toMatchObject({ status: 403, body: { error: 'forged_request' } });
  });

  it('answers an unknown path itself, in JSON', async () => {
    expect(await ask('GET', '/none')).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });

  it.each(lists.map(({ name, path }) => [name, path] as const))('reads what its role allows: %s', async (_, path) => {
    const { status } = await ask('GET', path.replace('/organisations/{organisation_id}', organisation));

    expect(status).toBe(200);
  });

  it('carries a draft from its creation to its end', async () => {
    const document = { ...(await readDocumentFile('tools/admin/demo/earn.json')), name: 'Drafted at the dashboard' };
    const uuid = flow.demo.partnership.uuid;
    const made = await ask('POST', `${organisation}/campaigns`, { body: { partnership_uuid: uuid, document } });
    expect(made).toMatchObject({ status: 200 });
    const { id, revision } = made.body.data;
    const path = `${organisation}/campaigns/${id}`;

    const saved = await ask('PUT', path, { body: { document: { ...document, name: 'Renamed' } }, revision });
    expect(saved).toMatchObject({ status: 200 });
    expect((await ask('PUT', path, { body: { document }, revision })).status).toBe(412);
    const submitted = await ask('POST', `${path}/acts`, {
      body: { act: 'submit' },
      revision: saved.body.data.revision,
    });
    expect(submitted).toMatchObject({ status: 200 });
    const discarded = await ask('DELETE', path, { revision: submitted.body.data.revision });
    expect([200, 409]).toContain(discarded.status);
  });

  it('changes the settings of the organisation, and writes who did it', async () => {
    const { body } = await ask('GET', organisation);
    const changed = await ask('PUT', organisation, { body: { four_eyes: true }, revision: body.data.revision });

    expect(changed).toMatchObject({ status: 200, body: { data: { four_eyes: true } } });
    const { body: trail } = await ask('GET', `${organisation}/audit`);
    expect(JSON.stringify(trail.data)).toContain('four');
  });

  it('invites a person', async () => {
    const invitation = { email: 'grace@corner-coffee.example', roles: ['editor'] };
    const invited = await ask('POST', `${organisation}/people`, { body: invitation });

    expect(invited).toMatchObject({ status: 200 });
  });
});
