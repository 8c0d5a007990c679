import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../../functions/contracts.ts';
import { hosts } from '../../../shared/contracts/contract.ts';
import { joinedOpenApiOf, publishedEdition } from '../../../shared/http/openapi/document.ts';
import { errorTexts } from '../../../shared/http/openapi/error-examples.ts';
import { documentOf, operationsOf } from '../../support/openapi/documents.ts';

/** One part of a document, and the names that lead to it. */
interface Part {
  readonly place: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
}

/** Every object of a document, except those in examples and payloads. */
function partsOf(value: unknown, place: readonly string[] = []): Part[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value)
    .filter(([name]) => !['example', 'examples', 'default'].includes(name))
    .flatMap(([name, each]) => partsOf(each, [...place, name]));
  return [{ place, value: value as Part['value'] }, ...inner];
}

const joined = joinedOpenApiOf(contracts, publishedEdition);
const parts = partsOf(joined);

/** The fields of every schema: the parts below `properties`. */
const fields = parts.filter(({ place }) => place.at(-2) === 'properties' && place.at(-3) !== 'properties');

describe('the joined OpenAPI document', () => {
  it('is valid for an independent OpenAPI 3.1 validator', async () => {
    expect(await new Validator().validate(structuredClone(joined))).toEqual({ valid: true });
  });

  it('contains every endpoint once, on the servers of its host', () => {
    const documented = Object.entries(joined.paths).flatMap(([path, { servers, ...methods }]) =>
      Object.entries(methods).map(([method, operation]) => {
        const [host]: string[] = Object(operation).tags;
        expect(servers).toEqual(publishedEdition(hosts.find((each) => each === host) ?? 'base').servers);
        return `${method.toUpperCase()} ${host} ${path.replace(/#.*/, '')}`;
      }),
    );
    expect(documented.toSorted()).toEqual(
      contracts.map(({ method, host, path }) => `${method} ${host} ${path}`).toSorted(),
    );
  });

  it('contains the operations and schemas of the hosts’ documents', () => {
    const operations = Object.values(joined.paths).flatMap(({ servers: _, ...methods }) => Object.values(methods));
    const byId = new Map(operations.map((operation) => [Object(operation).operationId, operation]));
    for (const host of hosts) {
      for (const { operation } of operationsOf(documentOf(host))) {
        expect(byId.get(operation.operationId)).toEqual({ ...operation, tags: [host] });
      }
      expect(joined.components.schemas).toMatchObject(Object(documentOf(host).components.schemas));
    }
  });

  it('describes every field', () => {
    const undescribed = fields.filter(({ value }) => !value.description).map(({ place }) => place.join(' '));
    expect(undescribed).toEqual([]);
  });

  it('describes every parameter and header', () => {
    const parameters = parts.filter(({ value }) => typeof value.in === 'string' && typeof value.name === 'string');
    const undescribed = parameters.filter(({ value }) => !value.description).map(({ place }) => place.join(' '));
    expect(parameters.length).toBeGreaterThan(30);
    expect(undescribed).toEqual([]);
  });

  it('has an example of every error identifier', () => {
    const errors = parts.filter(({ place }) => place.at(-2) === 'responses' && /^[45]/.test(place.at(-1) ?? ''));
    for (const { place, value } of errors.filter(({ place: [root] }) => root === 'paths')) {
      const { 'application/json': json, 'text/html': html } = Object(value.content);
      if (!json) expect(html?.example, place.join(' ')).toContain('<!doctype html>');
      const bodies: { value: Readonly<Record<string, unknown>> }[] = Object.values(json?.examples ?? {});
      const identifiers = bodies.map((body) => body.value.error ?? body.value.code);
      const described = Object.keys(errorTexts).filter((each) => String(value.description).includes(`\`${each}\`: `));
      if (json && !html) expect(identifiers.toSorted(), place.join(' ')).toEqual(described.toSorted());
    }
  });
});

describe('the description of a field', () => {
  const { schemas } = Object(joined.components);

  it('distinguishes fields of the same name', () => {
    const totalOf = (schema: string) =>
      schemas[schema].properties.partner_status_tiers.items.properties.total_rewards.description;
    expect(totalOf('User')).toMatch(/can spend now/);
    expect(totalOf('UserStatus')).toMatch(/including reserved/);
    expect(schemas.Campaign.properties.total_rewards.description).toMatch(/awarded and redeemed/);
    expect(schemas.CreatedTransaction.properties.status.description).toMatch(/1 PENDING.*2 CONFIRMED.*3 FAILED/);
    expect(schemas.ExternalOrder.properties.status.description).toMatch(/pending.*processed.*rejected/);
  });

  it('distinguishes fields of the same type', () => {
    const { created_date, last_updated_date, campaign_id } = schemas.CreatedTransaction.properties;
    expect(created_date.description).toMatch(/created/);
    expect(last_updated_date.description).toMatch(/last change/);
    expect(campaign_id.description).toMatch(/[Cc]ampaign/);
  });
});

it('every error identifier has a text, and every text has an identifier', () => {
  const examples = parts
    .filter(({ place }) => place.at(-1) === 'application/json')
    .flatMap(({ value }) => Object.keys(Object(value.examples)));
  expect(Object.keys(errorTexts)).toEqual([...new Set(examples)].toSorted());
});
