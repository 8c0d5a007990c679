import { describe, expect, it } from 'vitest';
import { eventNames } from '../../../shared/contracts/events.ts';
import type { JsonObject } from '../../../shared/http/openapi/json-schema.ts';
import { signedRequest } from '../../../shared/webhooks/delivery-request.ts';
import { documentOf } from '../../support/openapi/documents.ts';
import { faultsOf, validatorAt } from '../../support/openapi/schemas.ts';
import { aSubscription } from '../../webhooks/fixtures.ts';

const documented = documentOf('notification').webhooks as Record<string, { readonly post: JsonObject }>;
const contents = ['post', 'requestBody', 'content', 'application/json', 'schema'];

describe.each(eventNames)('delivery of %s', (name) => {
  const occurredAt = '2026-03-02T09:30:00.000Z';
  const event = { id: 'event', entityId: '7', occurredAt, name, merchantId: 1, partnerId: 2 };
  const subscription = aSubscription({ organisationId: 1 });
  const { body, headers } = signedRequest(event, subscription, new Date(occurredAt));

  it('has the documented body', () => {
    const validate = validatorAt('notification', ['webhooks', name, ...contents]);
    expect(validate(JSON.parse(body)), faultsOf(validate)).toBe(true);
  });

  const parameters = documented[name]?.post.parameters as readonly { readonly name: string; required: boolean }[];
  const namesOf = (some: typeof parameters) => some.map((parameter) => parameter.name).toSorted();

  it('has the required headers', () => {
    expect(Object.keys(headers).toSorted()).toEqual(namesOf(parameters.filter(({ required }) => required)));
  });

  it('has all documented headers during a rotation of the salt', () => {
    const nextSalt = { salt: 'new', activatesAt: '2026-03-03T09:30:00.000Z' };
    const rotating = signedRequest(
      { ...event, requestId: 'request' },
      { ...subscription, nextSalt },
      new Date(occurredAt),
    );
    expect(Object.keys(rotating.headers).toSorted()).toEqual(namesOf(parameters));
  });
});
