import { describe, expect, it } from 'vitest';
import { adaptTemplate, type Resource } from '../../../tools/try-deploy/adapt-template.ts';

const surroundings = { hostUrl: 'http://127.0.0.1:4600', webhookHttpHosts: '127.0.0.1' };

const adapt = (Resources: Readonly<Record<string, Resource>>) => adaptTemplate({ Resources }, surroundings).Resources;
const role = (
  ...Statement: readonly {
    readonly [name: string]: string | string[] | Readonly<Record<string, Readonly<Record<string, string>>>>;
  }[]
): Resource => ({
  Type: 'AWS::IAM::Role',
  Properties: { Policies: [{ PolicyName: 'declared', PolicyDocument: { Statement } }] },
});
const statementsOf = (resource: Resource | undefined) =>
  Object(resource?.Properties?.Policies)[0].PolicyDocument.Statement;

describe('a template for the emulator ministack', () => {
  it('loses the resources that ministack cannot make', () => {
    const resources = adapt({
      Bus: { Type: 'AWS::Events::EventBus' },
      Archive: { Type: 'AWS::Events::Archive', DependsOn: 'Bus' },
      Rule: { Type: 'AWS::Events::Rule', DependsOn: ['Bus', 'Archive'] },
      Topic: { Type: 'AWS::SNS::Topic', DependsOn: 'Archive' },
    });
    expect(resources).toEqual({
      Bus: { Type: 'AWS::Events::EventBus' },
      Rule: { Type: 'AWS::Events::Rule', DependsOn: ['Bus'] },
      Topic: { Type: 'AWS::SNS::Topic' },
    });
  });

  it('changes aliases at once, without CodeDeploy', () => {
    const { Alias } = adapt({
      Alias: { Type: 'AWS::Lambda::Alias', UpdatePolicy: { CodeDeployLambdaAliasUpdate: {} } },
    });
    expect(Alias).toEqual({ Type: 'AWS::Lambda::Alias' });
  });

  it('builds the issuer of a user pool from its id', () => {
    const { Issuer } = adapt({
      Issuer: {
        Type: 'AWS::SSM::Parameter',
        Properties: { Name: '/issuer', Value: { 'Fn::GetAtt': ['Pool', 'ProviderURL'] } },
      },
    });
    const issuer = ['https://cognito-idp.', { Ref: 'AWS::Region' }, '.amazonaws.com/', { Ref: 'Pool' }];
    expect(Issuer?.Properties).toEqual({ Name: '/issuer', Value: { 'Fn::Join': ['', issuer] } });
  });

  it('gives functions the addresses of this machine', () => {
    const variables = { BASE_URL: { 'Fn::Join': ['', []] }, WEBHOOK_HTTP_HOSTS: '', STAGE: 'sandbox' };
    const { Endpoint } = adapt({
      Endpoint: { Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables: variables }, Timeout: 10 } },
    });
    expect(Endpoint?.Properties).toEqual({
      Environment: {
        Variables: { BASE_URL: 'http://127.0.0.1:4600', WEBHOOK_HTTP_HOSTS: '127.0.0.1', STAGE: 'sandbox' },
      },
      Timeout: 10,
    });
  });

  it('allows the batch form of every allowed SQS action', () => {
    const { Role } = adapt({
      Role: role(
        { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: 'queue' },
        { Effect: 'Allow', Action: ['sqs:DeleteMessage', 'sqs:ReceiveMessage'], Resource: 'queue' },
        { Effect: 'Deny', Action: 'sqs:SendMessage', Resource: '*' },
      ),
    });
    expect(statementsOf(Role)).toEqual([
      { Effect: 'Allow', Action: ['sqs:SendMessage', 'sqs:SendMessageBatch'], Resource: 'queue' },
      {
        Effect: 'Allow',
        Action: ['sqs:DeleteMessage', 'sqs:ReceiveMessage', 'sqs:DeleteMessageBatch'],
        Resource: 'queue',
      },
      { Effect: 'Deny', Action: 'sqs:SendMessage', Resource: '*' },
    ]);
  });

  it('makes failed messages visible after ten seconds', () => {
    const { Work, Failures } = adapt({
      Work: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 180, SqsManagedSseEnabled: true } },
      Failures: { Type: 'AWS::SQS::Queue', Properties: { SqsManagedSseEnabled: true } },
    });
    expect(Work?.Properties).toEqual({ VisibilityTimeout: 10, SqsManagedSseEnabled: true });
    expect(Failures?.Properties).toEqual({ SqsManagedSseEnabled: true });
  });

  it('lets roles put events of every source on the bus', () => {
    const put = { Effect: 'Allow', Action: 'events:PutEvents', Resource: 'bus' };
    const Condition = { StringEquals: { 'events:source': 'rewards' } };
    const denied = { Effect: 'Deny', Action: 'events:PutEvents', Resource: 'bus', Condition };
    const { Role } = adapt({ Role: role({ ...put, Condition }, denied) });
    expect(statementsOf(Role)).toEqual([put, denied]);
  });

  it('lets roles create schedules in every group', () => {
    const table = { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: 'table' };
    const { Role } = adapt({
      Role: role({ Effect: 'Allow', Action: ['scheduler:CreateSchedule'], Resource: 'arn:…:schedule/own/*' }, table),
    });
    expect(statementsOf(Role)).toEqual([
      { Effect: 'Allow', Action: ['scheduler:CreateSchedule'], Resource: 'arn:aws:scheduler:*:*:schedule/*' },
      table,
    ]);
  });
});
