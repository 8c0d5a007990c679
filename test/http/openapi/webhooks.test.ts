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
  const { body, headers } = signedRequest(event, aSubscription({ organisationId: 1 }), new Date(occurredAt));

  it('has the documented body', () => {
    const validate = validatorAt('notification', ['webhooks', name, ...contents]);
    expect(validate(JSON.parse(body)), faultsOf(validate)).toBe(true);
  });

  it('has the documented headers', () => {
    const parameters = documented[name]?.post.parameters as readonly { readonly name: string }[];
    expect(Object.keys(headers).toSorted()).toEqual(parameters.map((parameter) => parameter.name).toSorted());
  });
});
