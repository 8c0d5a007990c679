import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { localAccount } from '../../../tools/local/account.ts';
import { startPlatform } from '../../../tools/local/platform.ts';
import { type Json, loadAssembly, type Template } from '../../../tools/local/template/assembly.ts';
import { Resources } from '../../../tools/local/template/resources.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { writeAssembly } from './support/fixture.ts';

const context = { account: localAccount, sqsEndpoint: 'http://sqs' };

function resourcesOf(...templates: Template[]): Resources {
  const stacks = templates.map((template, index) => ({ name: `stack${index}`, template, assets: new Map() }));
  return new Resources(stacks, context);
}

/** Evaluates a property's value in a stack with a queue. */
function evaluateValue(value: Json): unknown {
  const template: Template = {
    Parameters: { Size: { Default: '7' } },
    Resources: {
      Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'work' } },
      Subject: { Type: 'AWS::SQS::Queue', Properties: { value } },
    },
  };
  const subject = resourcesOf(template).all.find(({ logicalId }) => logicalId === 'Subject');
  return subject?.properties<{ value: unknown }>().value;
}

describe('the intrinsic functions of a template', () => {
  it.each<[string, Json, unknown]>([
    ['Ref of a resource', { Ref: 'Queue' }, 'http://sqs/000000000000/work'],
    ['Ref of a parameter', { Ref: 'Size' }, '7'],
    ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['GetAtt as a list', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:work'],
    ['GetAtt as a text', { 'Fn::GetAtt': 'Queue.QueueName' }, 'work'],
    ['Join', { 'Fn::Join': ['-', ['a', { Ref: 'Size' }]] }, 'a-7'],
    ['Sub', { 'Fn::Sub': `\${Queue.QueueName} \${AWS::AccountId} \${!kept}` }, `work 000000000000 \${kept}`],
    ['Sub with variables', { 'Fn::Sub': [`\${a}`, { a: { Ref: 'Size' } }] }, '7'],
    ['Select and Split', { 'Fn::Select': [1, { 'Fn::Split': ['/', 'a/b/c'] }] }, 'b'],
    ['no value', { a: 1, b: { Ref: 'AWS::NoValue' } }, { a: 1 }],
    ['no value in a list', [1, { Ref: 'AWS::NoValue' }], [1]],
    ['an object with several fields', { Ref: 'x', Other: 1 }, { Ref: 'x', Other: 1 }],
    ["IAM's conditions", { Condition: { Bool: { x: 'y' } } }, { Condition: { Bool: { x: 'y' } } }],
  ])('return the value of %s', (_name, value, expected) => {
    expect(evaluateValue(value)).toEqual(expected);
  });

  it.each<[string, Json, RegExp]>([
    ['an unknown function', { 'Fn::Cidr': ['x'] }, /does not support the intrinsic function Fn::Cidr/],
    ['a missing resource', { Ref: 'Missing' }, /has no Missing/],
    ['an unknown attribute', { 'Fn::GetAtt': ['Queue', 'Color'] }, /has no attribute Color/],
    ['an export that no stack has', { 'Fn::ImportValue': 'nothing' }, /no stack exports nothing/],
  ])('throw for %s', (_name, value, message) => {
    expect(() => evaluateValue(value)).toThrow(message);
  });

  it('read exports of other stacks', () => {
    const first: Template = {
      Resources: { Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'bus' } } },
      Outputs: { BusName: { Value: { Ref: 'Bus' }, Export: { Name: { 'Fn::Sub': `\${AWS::StackName}:Bus` } } } },
    };
    const value = { 'Fn::ImportValue': 'stack0:Bus' };
    const second: Template = { Resources: { Queue: { Type: 'AWS::SQS::Queue', Properties: { value } } } };

    const [queue] = resourcesOf(first, second).ofType('AWS::SQS::Queue');

    expect(queue?.properties()).toEqual({ value: 'bus' });
  });
});

describe('the resources of a template', () => {
  it('are refused in a template with conditions', () => {
    expect(() => resourcesOf({ Conditions: {} })).toThrow('stack0: templates with conditions do not run here');
  });

  it('have the same short names at every start', () => {
    const template: Template = { Resources: { [`${'Long'.repeat(20)}`]: { Type: 'AWS::Lambda::Function' } } };

    const [first, second] = [resourcesOf(template), resourcesOf(template)].map(({ all }) => all[0]?.ref);

    expect(first).toBe(second);
    expect(first?.length).toBeLessThanOrEqual(64);
  });

  it('cause an error that names an unknown type', () => {
    const template: Template = { Resources: { Steps: { Type: 'AWS::StepFunctions::StateMachine' } } };

    expect(() => resourcesOf(template)).toThrow('AWS::StepFunctions::StateMachine (Steps)');
  });
});

describe('loading an assembly', () => {
  let directory = '';
  beforeEach(() => {
    directory = temporaryFolder('assembly');
  });

  it('returns the stacks and the folders of their assets', () => {
    const stacks = loadAssembly(writeAssembly(directory, 'read'));

    expect(stacks.map(({ name }) => name)).toEqual(['read-data', 'read-work']);
    expect(stacks[0]?.assets.get('puppet.zip')).toMatch(/test\/fixtures\/puppet$/);
  });

  it('throws for a resource of an unknown type', async () => {
    const assembly = writeAssembly(directory, 'unknown', { Odd: { Type: 'AWS::Odd::Thing' } });

    await expect(startPlatform({ assembly, stateDirectory: directory })).rejects.toThrow('AWS::Odd::Thing (Odd)');
  });

  it('explains the next step when the assembly is missing', () => {
    expect(() => loadAssembly(join(directory, 'nowhere'))).toThrow(/synthesize the app first/);
  });
});
