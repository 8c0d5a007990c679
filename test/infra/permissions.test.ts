import { describe, expect, it } from 'vitest';
import { consumers } from '../../functions/consumers.ts';
import { contracts } from '../../functions/contracts.ts';
import { managementResources } from '../../functions/management/contracts.ts';
import { triggers } from '../../functions/triggers.ts';
import { middlewareAccess } from '../../shared/contracts/contract.ts';
import { paymentSources, platformSource } from '../../shared/contracts/events.ts';
import { bookAttributes } from '../../shared/contracts/table.ts';
import { allStatements, statementsOf } from './support/policy.ts';
import { declaredRights, grantedRights } from './support/rights.ts';
import { synthesized, textOf } from './support/synthesized.ts';

const declared = [
  ...contracts.map((contract) => ({
    folder: `${contract.host}/${contract.name}`,
    rights: declaredRights(contract.access, middlewareAccess(contract)),
  })),
  ...Object.entries(managementResources).map(([resource, own]) => ({
    folder: `management/${resource}`,
    rights: declaredRights(...own.flatMap((contract) => [contract.access, middlewareAccess(contract)])),
  })),
  ...consumers.map(({ name, access }) => ({ folder: `consumers/${name}`, rights: declaredRights(access) })),
  ...triggers.map(({ name, access }) => ({ folder: `identity/${name}`, rights: declaredRights(access) })),
];

describe.each(['sandbox', 'production'] as const)('the permissions of the stage %s', (stage) => {
  const app = synthesized(stage);

  it.each(declared)('give $folder exactly the declared access to the table', ({ folder, rights }) => {
    const role = app.referredBy(app.functionIn(folder).Properties.Role);
    expect(grantedRights(statementsOf(role))).toEqual(rights);
  });

  it('are in one role per function', () => {
    const roles = app.ofType('AWS::Lambda::Function').map(({ Properties }) => textOf(Properties.Role));

    expect(new Set(roles).size).toBe(roles.length);
    expect(app.ofType('AWS::IAM::Policy')).toEqual([]);
  });

  it('have no wildcard, except the resource * for traces', () => {
    for (const { actions, resources } of allStatements(app)) {
      expect(actions.filter((action) => action.includes('*'))).toEqual([]);
      if (resources.includes('*')) expect(actions).toEqual(['xray:PutTelemetryRecords', 'xray:PutTraceSegments']);
    }
  });

  it('let only one function scan the table, and only attributes without personal data', () => {
    const scanning = allStatements(app).filter(({ actions }) => actions.includes('dynamodb:Scan'));

    expect(scanning.map(({ actions, condition }) => ({ actions, condition }))).toEqual([
      {
        actions: ['dynamodb:Scan'],
        condition: {
          'ForAllValues:StringEquals': { 'dynamodb:Attributes': bookAttributes },
          StringEquals: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
        },
      },
    ]);
    // Personal data, secrets and free texts, by the names that they have anywhere in the table.
    const forbidden =
      /name|email|phone|address|secret|token|hash|salt|pin|reason|reference|attributes|location|authentication/i;
    expect(bookAttributes.filter((attribute) => forbidden.test(attribute))).toEqual([]);
  });

  it('grant no one to put events with the source by which a sender speaks for every merchant', () => {
    const publishing = allStatements(app).filter(({ actions }) => actions.includes('events:PutEvents'));
    const sources = publishing.flatMap(({ condition }) => condition.StringEquals?.['events:source'] ?? 'any source');

    expect(new Set(sources)).toEqual(new Set([platformSource, paymentSources.square, paymentSources.adyen]));
    expect(app.ofType('AWS::Events::EventBusPolicy')).toEqual([]);
    expect(app.ofType('AWS::Events::EventBus').filter(({ Properties }) => Properties.Policy !== undefined)).toEqual([]);
  });

  it("allow use of the table's key through DynamoDB only", () => {
    const onKeys = allStatements(app).filter(({ actions }) => actions.some((action) => action.startsWith('kms:')));

    expect(onKeys).not.toEqual([]);
    for (const { condition } of onKeys) {
      expect(condition).toEqual({ StringEquals: { 'kms:ViaService': expect.stringMatching(/^dynamodb\./) } });
    }
  });
});
