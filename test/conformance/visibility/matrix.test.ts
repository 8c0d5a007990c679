import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../../functions/contracts.ts';
import type { AnyContract } from '../../../shared/contracts/contract.ts';
import type { Request } from '../../support/call.ts';
import {
  type CredentialName,
  carrying,
  credentialNames,
  makeConnectToken,
  makeSecrets,
  refusalFor,
  type Secrets,
} from './credentials.ts';
import { foreignMarks } from './marks.ts';
import { type RawReply, send, verdictOf } from './raw.ts';
import { readRows } from './read-rows.ts';
import { type Row, rowName, type Thing } from './rows.ts';
import { makeScene, type Scene, type Side, sides } from './scene.ts';
import { webhookRows } from './webhook-rows.ts';
import { writeRows } from './write-rows.ts';

/**
 * Every endpoint × every kind of credential × every organisation × every entity. A hidden entity gets the same reply as
 * an absent one, byte for byte. An invalid credential gets the same refusal for every entity. The rows list the visible
 * entities. A test fails for every endpoint without a row.
 */

const rows: Readonly<Record<string, Row>> = { ...readRows, ...writeRows, ...webhookRows };
const rowsOf = (contract: AnyContract) =>
  Object.entries(rows).filter(([name]) => name.split(' ')[0] === rowName(contract));

let scene: Scene;
let secrets: Secrets;
beforeAll(async () => {
  scene = await makeScene();
  secrets = await makeSecrets(scene);
  const subscribe = contracts.find(({ name }) => name === 'subscribe-webhook') as AnyContract;
  const body = { endpoint: 'https://own.example.com/', event_name: 'campaign_ended' };
  await send(subscribe, { headers: { 'x-api-key': scene.organisations.own.apiKey }, body });
});

async function ask(contract: AnyContract, thing: Thing, name: CredentialName, side: Side): Promise<RawReply> {
  // A connect token allows five attempts, so each request here uses a new token.
  const isFresh = contract.credential.kind === 'connectToken' && name === 'connectToken';
  const secret = isFresh ? await makeConnectToken(scene.world, scene.organisations[side].id) : secrets[side][name];
  const asked = await thing.ask(scene, side);
  const proof: Request = carrying(contract, name, secret);
  return send(contract, { ...asked, ...proof, params: { ...asked.params, ...proof.params } });
}

/** Public documents are the same for every caller. */
const marksFor = (contract: AnyContract, side: Side) =>
  contract.credential.kind === 'none' ? [] : foreignMarks(scene, side);

const masked = (row: Row, reply: RawReply) =>
  JSON.stringify(row.generated ? { ...reply, text: reply.text.replaceAll(row.generated, '') } : reply);

describe.each(contracts.map((contract) => [rowName(contract), contract] as const))('endpoint %s', (_, contract) => {
  const good = credentialNames.filter((name) => !refusalFor(contract, name));
  const bad = credentialNames.filter((name) => refusalFor(contract, name));

  it('has at least one row in the table of visibility', () => {
    expect(rowsOf(contract).map(([name]) => name)).not.toEqual([]);
  });

  it.each(bad)('returns the same refusal for every entity when the credential is %s', async (name) => {
    const replies = new Set<string>();
    for (const thing of rowsOf(contract).flatMap(([, row]) => Object.values(row.things))) {
      for (const side of sides) {
        const reply = await ask(contract, thing, name, side);
        const { status, identifier } = refusalFor(contract, name) ?? {};
        if (contract.envelope === 'page') expect(reply.status).toBe(status);
        else expect(verdictOf(contract, reply)).toBe(`${status} ${identifier}`);
        replies.add(JSON.stringify(reply));
      }
    }
    expect([...replies]).toHaveLength(1);
  });

  it.each(good.flatMap((name) => rowsOf(contract).map(([title, row]) => [name, title, row] as const)))(
    'shows callers with the credential %s only the promised entities (row "%s")',
    async (name, _title, row) => {
      const hidden = new Set<string>();
      for (const [title, thing] of Object.entries(row.things)) {
        for (const side of sides) {
          const reply = await ask(contract, thing, name, side);
          const promised = thing.always ?? thing.seen?.[side] ?? row.hidden;
          const verdict = row.verdict?.(reply) ?? verdictOf(contract, reply);
          expect.soft(`${title}, ${side}: ${verdict}`).toBe(`${title}, ${side}: ${promised}`);
          if (promised === row.hidden) hidden.add(masked(row, reply));
          const leaked = marksFor(contract, side).filter((mark) => reply.text.includes(mark));
          expect.soft(`${title}, ${side}: ${leaked}`).toBe(`${title}, ${side}: `);
        }
      }
      expect([...hidden].slice(1)).toEqual([]);
    },
  );
});
