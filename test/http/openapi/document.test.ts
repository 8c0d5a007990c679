import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../../functions/contracts.ts';
import { hosts } from '../../../shared/contracts/contract.ts';
import { eventNames } from '../../../shared/contracts/events.ts';
import { documentOf, operationsOf } from '../../support/openapi/documents.ts';
import { faultsOf, validatorAt } from '../../support/openapi/schemas.ts';

describe.each(hosts)('OpenAPI document of the %s host', (host) => {
  const document = documentOf(host);
  const operations = operationsOf(document);

  it('is valid for an independent OpenAPI 3.1 validator', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('contains every endpoint of the host', () => {
    const own = contracts.filter((contract) => contract.host === host);
    const documented = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(documented.toSorted()).toEqual(own.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  it('has examples that match their schemas', () => {
    const contents = operations.flatMap(({ path, method, operation }) =>
      contentsOf(['paths', path, method], operation),
    );
    for (const { place, content } of contents) {
      const validate = validatorAt(host, [...place, 'schema']);
      if ('example' in content) expect(validate(content.example), `${place}: ${faultsOf(validate)}`).toBe(true);
    }
  });
});

/** Finds every `content` of an operation. `place` is the path to this `content`. */
function contentsOf(place: string[], operation: object): { place: string[]; content: object }[] {
  return Object.entries(operation).flatMap(([name, part]) => {
    if (typeof part !== 'object' || part === null) return [];
    const here = [...place, name];
    if (name !== 'content') return contentsOf(here, part);
    return Object.entries(part).map(([type, content]) => ({ place: [...here, type], content: content as object }));
  });
}

describe('all OpenAPI documents together', () => {
  it('use each operation id once', () => {
    const ids = hosts.flatMap((host) => operationsOf(documentOf(host)).map(({ operation }) => operation.operationId));
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
  });

  it('contain each event as a webhook of the notification host', () => {
    expect(Object.keys(documentOf('notification').webhooks as object)).toEqual(eventNames);
  });
});

describe.each(contracts.filter(({ summary }) => summary.startsWith('Endpoint ')))(
  'example of $method $host $path',
  ({ example, body, data }) => {
    it('matches the schemas of the contract', () => {
      expect(data.safeParse(example?.reply).error?.issues).toBeUndefined();
      if (body) expect(body.safeParse(example?.request).error?.issues).toBeUndefined();
      expect(data.parse(example?.reply)).toEqual(example?.reply);
    });
  },
);
