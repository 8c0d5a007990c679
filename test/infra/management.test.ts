import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { consumers } from '../../functions/consumers.ts';
import { contracts } from '../../functions/contracts.ts';
import { managementContracts, managementResources } from '../../functions/management/contracts.ts';
import { defineContract, type ManagementContract, staff } from '../../shared/contracts/contract.ts';
import { type JsonObject, synthesizedApp, textOf } from './support/synthesized.ts';

interface Found {
  readonly id: string;
  readonly Type: string;
  readonly Properties: JsonObject;
}

/** The resources of the stack of the dashboard's API. */
function synthesize(resources = managementResources): Found[] {
  const app = synthesizedApp('production', { contracts, consumers, resources });
  const stack = app.node.findChild('rewards-production-management') as Stack;
  const template = Template.fromStack(stack).toJSON();
  return Object.entries<Omit<Found, 'id'>>(template.Resources).map(([id, resource]) => ({ id, ...resource }));
}

const contractOf = (resource: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string): ManagementContract =>
  defineContract({
    host: 'management',
    name: `${method}-${path}`.toLowerCase().replaceAll(/\W+/g, '-'),
    method,
    path: `/organisations/{organisation_id}/${resource}${path}`,
    summary: 'An endpoint of the test.',
    credential: staff,
    data: z.object({}),
    refusals: {},
    access: { table: { campaign: ['Query'] } },
  });

/** As many endpoints in as many resources as the dashboard will have. */
const manyResources = Object.fromEntries(
  Array.from({ length: 14 }, (_, index) => {
    const name = `thing-${index}`;
    return [
      name,
      [
        contractOf(name, 'GET', ''),
        contractOf(name, 'POST', ''),
        contractOf(name, 'PUT', '/{id}'),
        contractOf(name, 'DELETE', '/{id}'),
        contractOf(name, 'POST', '/{id}/acts'),
      ],
    ];
  }),
);

describe('the stack of the dashboard’s API', () => {
  const found = synthesize();
  const ofType = (type: string) => found.filter(({ Type }) => Type === type);

  it('has one route for each contract and one function for each resource', () => {
    const methods = ofType('AWS::ApiGateway::Method').map(({ Properties }) => Properties.HttpMethod);

    expect(methods.toSorted()).toEqual(managementContracts.map(({ method }) => method).toSorted());
    expect(ofType('AWS::Lambda::Function')).toHaveLength(Object.keys(managementResources).length);
    expect(ofType('AWS::ApiGateway::Resource').map(({ Properties }) => Properties.PathPart)).toContain('api');
  });

  it('lets no page of another origin read a reply', () => {
    const [api] = ofType('AWS::ApiGateway::RestApi');

    expect(api?.Properties).toMatchObject({ Name: 'rewards-production-management', DisableExecuteApiEndpoint: false });
    expect(JSON.stringify(found)).not.toContain('Access-Control');
  });

  it('pays for no metrics of single methods', () => {
    const [stage] = ofType('AWS::ApiGateway::Stage');

    expect(stage?.Properties).toMatchObject({
      MethodSettings: [{ LoggingLevel: 'ERROR', DataTraceEnabled: false, MetricsEnabled: false }],
    });
  });

  it('is behind the firewall, and stores its domain name for the delivery network', () => {
    expect(ofType('AWS::WAFv2::WebACLAssociation')).toHaveLength(1);
    const [parameter] = ofType('AWS::SSM::Parameter');
    expect(parameter?.Properties.Name).toBe('/rewards/production/management/domain');
    expect(textOf(parameter?.Properties.Value)).toMatch(/\.execute-api\.us-east-1\./);
  });

  it('lets every function read the settings of the sites and the secret of the delivery network', () => {
    for (const { Properties } of ofType('AWS::IAM::Role')) {
      if (!textOf(Properties.AssumeRolePolicyDocument).includes('lambda')) continue;
      const policies = JSON.stringify(Properties.Policies);
      expect(policies).toContain('ssm:GetParameters');
      expect(policies).toContain('rewards-production/edge-??????');
    }
  });

  it('has fewer than 400 resources with 70 endpoints in 14 functions', () => {
    const many = synthesize(manyResources);

    expect(many.filter(({ Type }) => Type === 'AWS::ApiGateway::Method')).toHaveLength(70);
    expect(many.length).toBeLessThan(400);
  });
});
