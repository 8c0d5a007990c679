import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import {
  type VerifyWebhookOptions,
  verifyWebhook,
  WebhookVerificationError,
} from '../../clients/typescript/src/webhooks.ts';
import { standardWebhooksSecret } from '../../shared/webhooks/delivery-request.ts';
import { deliveries, receipts, saltsOf, schemesOf } from '../webhooks/signature-vectors.ts';

const schemes = ['platform', 'standard'] as const;

/** `accepted`, or the reason of the refusal. */
function outcomeOf(options: VerifyWebhookOptions): string {
  try {
    verifyWebhook(options);
    return 'accepted';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
}

describe.each(deliveries)('verifyWebhook(), for the delivery "$name",', (vector) => {
  const { body, headers, event_id, signed_at, accepted_with } = vector;
  const now = new Date(signed_at);

  it.each(schemes)('returns the event when it verifies the scheme %s', (scheme) => {
    expect(verifyWebhook({ headers, body: Buffer.from(body), salts: saltsOf(vector), now, scheme })).toEqual({
      event: JSON.parse(body).event,
      entity: JSON.parse(body).entity,
      entity_id: JSON.parse(body).entity_id,
      eventId: event_id,
      timestamp: new Date(Math.floor(now.getTime() / 1_000) * 1_000),
    });
  });

  it.each(schemes)('accepts only the salts of the signature, in the scheme %s', (scheme) => {
    for (const salt of saltsOf(vector)) {
      // Both schemes accept the same salts: in the platform's own scheme, a receiver that has only the new salt
      // verifies the header x-platform-signature-next.
      const expected = accepted_with.standard.includes(salt) ? 'accepted' : 'wrong_signature';
      expect(outcomeOf({ headers, body, salt, now, scheme })).toBe(expected);
    }
  });
});

describe.each(receipts)('verifyWebhook(), for the received request "$name",', (vector) => {
  const { body, headers, outcome, salts } = vector;
  const now = new Date(vector.received_at);

  it(`returns the outcome ${outcome}`, () => {
    expect(outcomeOf({ headers, body, salts, now })).toBe(outcome);
  });

  it.each(schemes)('requires the headers of the given scheme %s', (scheme) => {
    const expected = schemesOf(vector)[scheme] ? outcome : 'missing_header';
    expect(outcomeOf({ headers, body, salts, now, scheme })).toBe(expected);
  });
});

describe('verifyWebhook()', () => {
  const salt = 'the-salt';
  const body = '{"event":"transaction_created","entity":3,"entity_id":"7"}';
  const now = new Date('2026-03-01T12:00:00Z');
  const timestamp = '1772366400';
  const hexOf = (text: string | Uint8Array) => createHmac('sha256', salt).update(timestamp).update(text).digest('hex');
  const platform = {
    'x-platform-timestamp': timestamp,
    'x-platform-signature': hexOf(body),
    'x-platform-event-id': 'event-1',
  };
  const standardText = createHmac('sha256', salt).update(`event-1.${timestamp}.${body}`).digest('base64');
  const standard = {
    'webhook-id': 'event-1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standardText}`,
  };
  const genuine = { headers: platform, body, salt, now };

  it('returns an entity whose type follows from the event', () => {
    const webhook = verifyWebhook(genuine);
    if (webhook.event !== 'transaction_created') throw new Error(`unexpected event ${webhook.event}`);
    const entity: 3 = webhook.entity;
    expect(entity).toBe(3);
  });

  it('reads upper-case headers, lists of values, and a Headers object', () => {
    const upperCase = Object.fromEntries(Object.entries(platform).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(platform).map(([name, value]) => [name, [value]]));
    for (const headers of [new Headers(platform), upperCase, lists, { ...platform, cookie: undefined }]) {
      expect(outcomeOf({ ...genuine, headers })).toBe('accepted');
    }
  });

  it('accepts a string, a Buffer or a part of a buffer as body', () => {
    const bytes = new TextEncoder().encode(`before${body}after`);
    const part = bytes.subarray('before'.length, 'before'.length + body.length);
    for (const form of [body, Buffer.from(body), part]) expect(outcomeOf({ ...genuine, body: form })).toBe('accepted');
  });

  const names = Object.keys(platform) as (keyof typeof platform)[];
  it.each(names)('refuses a request when the header %s is missing or appears twice', (name) => {
    const { [name]: value, ...others } = platform;
    const twice = new Headers(platform);
    twice.append(name, value);
    expect(outcomeOf({ ...genuine, headers: others })).toBe('missing_header');
    expect(outcomeOf({ ...genuine, headers: { ...others, [name]: [] } })).toBe('missing_header');
    const repeated = [twice, { ...others, [name]: [value, value] }, { ...platform, [name.toUpperCase()]: value }];
    for (const headers of repeated) expect(outcomeOf({ ...genuine, headers })).toBe('duplicate_header');
  });

  it('refuses a request with two values of x-platform-signature-next', () => {
    const headers = { ...platform, 'x-platform-signature-next': ['a', 'b'] };
    expect(outcomeOf({ ...genuine, headers })).toBe('duplicate_header');
  });

  it.each(['1772366400.0', '+1772366400', ' 1772366400', '-1772366400', '1.7e9', '0x69a42c40', 'NaN', '1'.repeat(13)])(
    'refuses the timestamp "%s"',
    (text) => {
      const headers = { ...platform, 'x-platform-timestamp': text };
      expect(outcomeOf({ ...genuine, headers })).toBe('malformed_timestamp');
    },
  );

  it('prefers Standard Webhooks when a request has both schemes', () => {
    const forgedId = { ...platform, ...standard, 'x-platform-event-id': 'forged' };
    expect(verifyWebhook({ ...genuine, headers: forgedId }).eventId).toBe('event-1');
    const forgedStandard = { ...platform, ...standard, 'webhook-id': 'forged' };
    expect(outcomeOf({ ...genuine, headers: forgedStandard })).toBe('wrong_signature');
    expect(outcomeOf({ ...genuine, headers: forgedStandard, scheme: 'platform' })).toBe('accepted');
  });

  it('refuses a request that lacks the headers of the required scheme', () => {
    expect(outcomeOf({ ...genuine, headers: platform, scheme: 'standard' })).toBe('missing_header');
    expect(outcomeOf({ ...genuine, headers: standard, scheme: 'platform' })).toBe('missing_header');
  });

  it('uses the given tolerance, and the clock of the process when `now` is absent', () => {
    const later = new Date(now.getTime() + 31_000);
    expect(outcomeOf({ ...genuine, now: later, toleranceSeconds: 30 })).toBe('too_old');
    expect(outcomeOf({ ...genuine, now: later, toleranceSeconds: 31 })).toBe('accepted');
    expect(outcomeOf({ headers: platform, body, salt })).toBe('too_old');
    expect(outcomeOf({ ...genuine, now: new Date(Number.NaN) })).toBe('too_old');
  });

  it.each([
    '',
    'null',
    '[]',
    '"text"',
    '{',
    '{"event":"transaction_created","entity":3}',
    '{"event":"transaction_created","entity":"3","entity_id":"7"}',
    '{"event":"transaction_created","entity":3,"entity_id":7}',
    '{"entity":3,"entity_id":"7"}',
    Buffer.from('{"event":"transaction_created","entity":3,"entity_id":"not UTF-8: \xff"}', 'latin1'),
  ])('refuses the signed body %s, which is not an event', (text) => {
    const headers = { ...platform, 'x-platform-signature': hexOf(text) };
    expect(outcomeOf({ ...genuine, headers, body: text })).toBe('malformed_body');
  });

  it('throws TypeError for a text that cannot be a salt', () => {
    const headers = {
      ...platform,
      'x-platform-signature': createHmac('sha256', '')
        .update(timestamp + body)
        .digest('hex'),
    };
    const texts = ['', ' ', 'salt\n', standardWebhooksSecret(salt)];
    for (const salts of [[], ...texts.map((text) => [text]), [salt, '']]) {
      expect(() => verifyWebhook({ headers, body, salts, now })).toThrow(TypeError);
    }
    // A caller in JavaScript may pass an environment variable that is not set.
    for (const given of ['{}', '{"salt":""}', '{"salt":null}', '{"salts":[null]}']) {
      expect(() => verifyWebhook({ headers, body, now, ...JSON.parse(given) })).toThrow(TypeError);
    }
  });

  it('throws TypeError for a body that is an object instead of text', () => {
    const parsed = { ...genuine, body: JSON.parse(body) };
    expect(() => verifyWebhook(parsed)).toThrow(/raw body/);
  });

  it('imports no package', async () => {
    const entryPoints = ['clients/typescript/src/webhooks.ts'];
    const built = await build({ entryPoints, bundle: true, write: false, metafile: true, platform: 'node' });
    const imported = Object.values(built.metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    expect(imported).toEqual(['node:crypto']);
    const files = Object.keys(built.metafile.inputs);
    expect(files.filter((file) => !file.startsWith('clients/typescript/src/'))).toEqual([]);
  });

  it('names the reason of a refusal', () => {
    const refused = () => verifyWebhook({ ...genuine, salt: 'another' });
    expect(refused).toThrow(WebhookVerificationError);
    expect(refused).toThrow(/check the salt/);
    expect(refused).toThrow(expect.objectContaining({ name: 'WebhookVerificationError', reason: 'wrong_signature' }));
  });

  it('accepts a request that node:http received, but not when a header arrived twice', async () => {
    const outcomes: string[] = [];
    const server = createServer(async (request, response) => {
      const raw = Buffer.concat(await request.toArray());
      outcomes.push(outcomeOf({ headers: request.headers, body: raw, salt, now }));
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    await fetch(url, { method: 'POST', headers: { ...platform, ...standard }, body });
    const twice: [string, string][] = [...Object.entries(platform), ['x-platform-signature', 'another']];
    await fetch(url, { method: 'POST', headers: twice, body });
    await new Promise((resolve) => server.close(resolve));
    expect(outcomes).toEqual(['accepted', 'duplicate_header']);
  });
});
