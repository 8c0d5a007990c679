import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { eventEntities, eventNames } from '../../shared/contracts/events.ts';
import {
  deliveryBody,
  signatureHeaders,
  signedRequest,
  standardWebhooksSecret,
} from '../../shared/webhooks/delivery-request.ts';
import { isGenuineBySpecification } from '../support/specification-verifier.ts';
import { anEvent, aSubscription } from './fixtures.ts';

const salt = '6b1f0c9d'.repeat(8);

describe('deliveryBody()', () => {
  it('contains only event, entity and entity_id, in this order', () => {
    const event = anEvent({ name: 'campaign_ended', entityId: '4711' });
    expect(deliveryBody(event)).toBe('{"event":"campaign_ended","entity":2,"entity_id":"4711"}');
  });

  it.each(eventNames)('contains the entity of the event %s', (name) => {
    expect(JSON.parse(deliveryBody(anEvent({ name }))).entity).toBe(eventEntities[name]);
  });
});

describe('the signature of a webhook', () => {
  const signedAt = new Date('2026-03-01T12:00:00.999Z');
  const signing = { salts: { current: salt }, eventId: 'event-1', body: '{"event":"x"}', signedAt };

  it('comes with all promised headers, each in the promised format', () => {
    expect(signatureHeaders(signing)).toEqual({
      'x-platform-timestamp': '1772366400',
      'x-platform-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
      'x-platform-date': 'Sun, 01 Mar 2026 12:00:00 GMT',
      'x-platform-event-id': 'event-1',
      'webhook-id': 'event-1',
      'webhook-timestamp': '1772366400',
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
  });

  it('is verified by code that uses only the specification', () => {
    const headers = signatureHeaders(signing);
    const at = { salt, now: signedAt };
    expect(isGenuineBySpecification({ headers, rawBody: signing.body }, at)).toBe(true);
    expect(isGenuineBySpecification({ headers, rawBody: `${signing.body} ` }, at)).toBe(false);
    const wrong = { ...at, salt: salt.replace('6', '7') };
    expect(isGenuineBySpecification({ headers, rawBody: signing.body }, wrong)).toBe(false);
  });

  it('is verified by a Standard Webhooks library', () => {
    const event = anEvent();
    const subscription = aSubscription({ salt });
    const { headers, body } = signedRequest(event, subscription, new Date());
    const library = new Webhook(standardWebhooksSecret(salt));

    expect(library.verify(body, { ...headers })).toEqual(JSON.parse(body));
    expect(() => library.verify(`${body} `, { ...headers })).toThrow();
    expect(() => new Webhook(standardWebhooksSecret('00'.repeat(32))).verify(body, { ...headers })).toThrow();
  });

  it('uses the salt as text, not as hex digits', () => {
    expect(Buffer.from(standardWebhooksSecret(salt).slice('whsec_'.length), 'base64').toString()).toBe(salt);
  });

  it('is made with both salts during a rotation', () => {
    const nextSalt = { salt: 'the new salt', activatesAt: '2026-03-02T12:00:00.000Z' };
    const event = anEvent();
    const headersWith = (parts: object) => signedRequest(event, aSubscription({ salt, ...parts }), signedAt).headers;
    const [old, next] = [headersWith({}), headersWith({ salt: nextSalt.salt })];

    expect(headersWith({ nextSalt })).toMatchObject({
      'x-platform-signature': old['x-platform-signature'],
      'x-platform-signature-next': next['x-platform-signature'],
      'webhook-signature': `${old['webhook-signature']} ${next['webhook-signature']}`,
    });
    expect(old).not.toHaveProperty('x-platform-signature-next');
  });

  it('differs at each attempt, but the event id does not', () => {
    const later = signatureHeaders({ ...signing, signedAt: new Date('2026-03-01T12:00:05Z') });
    expect(later['x-platform-signature']).not.toBe(signatureHeaders(signing)['x-platform-signature']);
    expect(later['x-platform-event-id']).toBe('event-1');
  });
});
