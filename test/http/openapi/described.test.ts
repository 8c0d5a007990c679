import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../../functions/contracts.ts';
import { hosts } from '../../../shared/contracts/contract.ts';
import { joinedOpenApiOf, publishedEdition } from '../../../shared/http/openapi/document.ts';
import { errorTexts } from '../../../shared/http/openapi/error-examples.ts';
import { descriptionOf, glossary } from '../../../shared/http/openapi/glossary.ts';
import { camelCase } from '../../../shared/http/openapi/json-schema.ts';
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

describe('the glossary of fields', () => {
  /** The names that lead from a schema or an endpoint to a field. The envelope of a reply is no part of its schema. */
  const namesOf = ({ place }: Part): (readonly string[])[] => {
    const names = place.filter((_, index) => place[index - 1] === 'properties');
    const [root, , owner = ''] = place;
    if (root === 'components') return [[owner, ...names]];
    return [names, ...(names[0] === 'data' ? [names.slice(1)] : [])];
  };
  const endpoints = contracts.map(({ name }) => camelCase(name));

  it('has texts only for fields and parameters that exist', () => {
    const used = new Set(
      fields
        .flatMap(namesOf)
        .flatMap((names) => [names, ...endpoints.map((name) => [name, ...names])])
        .flatMap((names) => names.map((_, start) => names.slice(start).join('.')))
        .concat(
          parts.flatMap(({ value }) => endpoints.flatMap((name) => [String(value.name), `${name}.${value.name}`])),
        )
        .concat(['webhook.event', 'webhook.entity', 'webhook.entity_id']),
    );
    expect(Object.keys(glossary).filter((key) => !used.has(key))).toEqual([]);
  });

  it('distinguishes fields of the same name by their place', () => {
    expect(descriptionOf('User', 'partner_status_tiers', 'total_rewards')).toMatch(/can spend now/);
    expect(descriptionOf('UserStatus', 'partner_status_tiers', 'total_rewards')).toMatch(/including reserved/);
    expect(descriptionOf('Campaign', 'total_rewards')).toMatch(/awarded and redeemed/);
    expect(descriptionOf('CreatedTransaction', 'status')).toMatch(/1 PENDING.*2 CONFIRMED.*3 FAILED/);
    expect(descriptionOf('ExternalOrder', 'status')).toMatch(/pending.*processed.*rejected/);
    expect(descriptionOf('no-such-field')).toBeUndefined();
  });

  it('has separate texts for fields of the same type', () => {
    const { CreatedTransaction } = Object(joined.components.schemas);
    expect(CreatedTransaction.properties.created_date.description).toMatch(/created/);
    expect(CreatedTransaction.properties.last_updated_date.description).toMatch(/last change/);
    expect(CreatedTransaction.properties.campaign_id.description).toMatch(/[Cc]ampaign/);
  });
});

it('every error identifier has a text, and every text has an identifier', () => {
  const examples = parts
    .filter(({ place }) => place.at(-1) === 'application/json')
    .flatMap(({ value }) => Object.keys(Object(value.examples)));
  expect(Object.keys(errorTexts)).toEqual([...new Set(examples)].toSorted());
});
