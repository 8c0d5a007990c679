import { describe, expect, it } from 'vitest';
import { hosts } from '../../shared/contracts/contract.ts';
import { useFlow } from './support/flow.ts';
import { send } from './support/http.ts';

const flow = useFlow();

describe.each(hosts)('the documentation of the %s host', (host) => {
  it('needs no credential and names the host', async () => {
    const { status, body } = await send('GET', `${flow.hosts[host]}/openapi.json`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: flow.hosts[host] }] });
  });
});
