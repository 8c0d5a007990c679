import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventNames } from '../../shared/contracts/events.ts';
import {
  deliveryBody,
  signatureHeaders,
  signingSalts,
  standardWebhooksSecret,
} from '../../shared/webhooks/delivery-request.ts';
import { isGenuineBySpecification } from '../support/specification-verifier.ts';
import { anEvent } from './fixtures.ts';
import { type DeliveryVector, deliveries, receipts, saltsOf, schemesOf } from './signature-vectors.ts';

afterEach(() => {
  vi.useRealTimers();
});

interface Request {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Verifies with the library of Standard Webhooks, whose clock is the process's. */
function isGenuineByLibrary({ body, headers }: Request, { salt, now }: { salt: string; now: Date }): boolean {
  vi.setSystemTime(now);
  const library = new Webhook(standardWebhooksSecret(salt));
  try {
    library.verify(body, { ...headers });
    return true;
  } catch (error) {
    // The library also throws when a genuine body is not JSON; every genuine body of the vectors is JSON.
    if (error instanceof Error && error.name !== 'SyntaxError') return false;
    throw error;
  }
}

const isGenuine = {
  platform: ({ body, headers }: Request, receiver: { salt: string; now: Date }) =>
    isGenuineBySpecification({ headers, rawBody: body }, receiver),
  standard: isGenuineByLibrary,
};

function storedSaltsOf({ salt, next_salt, activates_at }: DeliveryVector) {
  return next_salt === undefined || activates_at === undefined
    ? { salt }
    : { salt, nextSalt: { salt: next_salt, activatesAt: activates_at } };
}

describe.each(deliveries)('the delivery "$name"', (vector) => {
  const { event_id: eventId, body, headers, accepted_with } = vector;
  const signedAt = new Date(vector.signed_at);

  it('is signed by the platform with exactly the listed headers', () => {
    const salts = signingSalts(storedSaltsOf(vector), signedAt);
    expect(signatureHeaders({ salts, eventId, body, signedAt })).toEqual(headers);
  });

  it.each(['platform', 'standard'] as const)('is accepted in the %s scheme with the listed salts only', (scheme) => {
    const accepted = saltsOf(vector).filter((salt) => isGenuine[scheme]({ body, headers }, { salt, now: signedAt }));
    expect(accepted).toEqual(accepted_with[scheme]);
    expect(accepted.length).toBeGreaterThan(0);
  });
});

describe.each(receipts)('the received request "$name"', (vector) => {
  const { salts, body, headers, outcome } = vector;
  const now = new Date(vector.received_at);

  it.each(['platform', 'standard'] as const)(
    `gets the outcome ${outcome} in the %s scheme if it has the headers of this scheme`,
    (scheme) => {
      const accepts = salts.some((salt) => isGenuine[scheme]({ body, headers }, { salt, now }));
      expect(accepts).toBe(outcome === 'accepted' && schemesOf(vector)[scheme]);
    },
  );
});

/** The specification has no events about endpoints and orders. */
const inSpecification = eventNames.filter((name) => !/^(webhook\.|order_)/.test(name));

describe('the vectors of webhook signatures', () => {
  it('contain the exact body of each event', () => {
    const bodies = deliveries.filter(({ name }) => name.startsWith('event ')).map(({ body }) => body);
    const expected = bodies.map((body) => {
      const { event, entity_id } = JSON.parse(body);
      return deliveryBody(anEvent({ name: event, entityId: entity_id }));
    });
    expect(bodies).toEqual(expected);
    expect(bodies.map((body) => JSON.parse(body).event)).toEqual(expect.arrayContaining(inSpecification));
  });

  it('show deliveries before, during and after a rotation', () => {
    const signers = deliveries.filter(({ next_salt }) => next_salt !== undefined).map((one) => one.accepted_with);
    expect(new Set(signers.map(({ platform }) => platform.length))).toEqual(new Set([1]));
    expect(new Set(signers.map(({ standard }) => standard.length))).toEqual(new Set([1, 2]));
  });
});
