import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import type { Request } from '../support/call.ts';
import { endpointOf, send } from '../support/endpoint-requests.ts';
import { makeWorld } from '../support/world.ts';

/**
 * DynamoDB refuses keys that are empty or longer than 2 KB. A credential of such a length must get the refusal of an
 * unknown credential, and no internal error.
 */

beforeAll(async () => {
  await makeWorld();
});

const lengths = [0, 1, 255, 1_024, 2_040, 2_048, 2_049, 10_000, 200_000];
const texts = lengths.flatMap((length) => ['a'.repeat(length), 'é'.repeat(length)]);
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

/** The ways to send a text as a credential. */
const requests = (text: string): Request[] => [
  { headers: { 'x-api-key': text } },
  { headers: { Authorization: `Bearer ${text}` } },
  { headers: { Authorization: basic(text, 'secret') } },
  { headers: { Authorization: basic('id', text) } },
  { params: { connect_token: text } },
];

const guarded = contracts.filter(({ credential }) => credential.kind !== 'none');

describe.each(guarded.map((contract) => [endpointOf(contract), contract] as const))('%s', (endpoint, contract) => {
  it('refuses an unknown credential of any length with the same status', async () => {
    for (const request of texts.flatMap(requests)) {
      expect((await send(endpoint, request)).status).toBe(contract.credential.invalid.status);
    }
  });
});
