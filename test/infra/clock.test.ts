import { describe, expect, it } from 'vitest';
import { statementsOf } from './support/policy.ts';
import { type Json, type JsonObject, synthesized, textOf } from './support/synthesized.ts';

describe.each([
  ['sandbox', 'schedule-campaign', 'Clock', 'campaign_due'],
  ['production', 'schedule-campaign', 'Clock', 'campaign_due'],
  ['sandbox', 'resume-endpoint', 'EndpointClock', 'endpoint_due'],
  ['production', 'deliver-webhook', 'EndpointClock', 'endpoint_due'],
] as const)('one-time schedules of the stage %s for %s', (stage, consumer, clock, detailType) => {
  const app = synthesized(stage);
  const groups = app.ofType('AWS::Scheduler::ScheduleGroup').filter(({ id }) => id.startsWith(clock));
  const [group] = groups;
  if (!group) throw new Error(`${stage} has no group of schedules ${clock}`);
  const name = String(group.Properties.Name);
  const bus = app.only('AWS::Events::EventBus');
  const failures = app.ofType('AWS::SQS::Queue').filter(({ id }) => id.startsWith(`${clock}Failures`));
  const lambda = app.functionIn(`consumers/${consumer}`);
  const { Variables: variables } = lambda.Properties.Environment as { Variables: JsonObject };
  const statements = statementsOf(app.referredBy(lambda.Properties.Role));
  const passed = statements.find(({ actions }) => actions.includes('iam:PassRole'));

  /** The role that executes the schedules. */
  const role = app
    .ofType('AWS::IAM::Role')
    .find(
      ({ id, Properties }) => textOf(Properties.AssumeRolePolicyDocument).includes('scheduler') && id.startsWith(clock),
    );

  it('can be set by their function only in their own group', () => {
    const setting = statements.find(({ actions }) => actions.includes('scheduler:CreateSchedule'));
    expect(setting?.actions.toSorted()).toEqual(
      ['CreateSchedule', 'DeleteSchedule', 'GetSchedule', 'UpdateSchedule'].map((action) => `scheduler:${action}`),
    );
    expect(textOf(setting?.resources)).toMatch(new RegExp(`:schedule/${name}/\\*$`));
    expect(textOf(passed?.resources)).toContain(role?.id);
    expect(passed?.condition).toEqual({ StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } });
  });

  it('have their settings in the function’s environment variables', () => {
    expect(variables.SCHEDULE_GROUP).toBe(name);
    expect(variables.SCHEDULE_ROLE_ARN).toEqual(passed?.resources[0] as Json);
    expect(textOf(variables.SCHEDULE_TARGET_ARN)).toContain(bus.id);
    expect(failures).toHaveLength(1);
    expect(textOf(variables.SCHEDULE_DEAD_LETTER_ARN)).toContain(failures[0]?.id);
  });

  it('have a role that may only send their event and report failures', () => {
    expect(role && statementsOf(role)).toEqual([
      {
        ...{ actions: ['events:PutEvents'], resources: [{ 'Fn::GetAtt': [bus.id, 'Arn'] }] },
        condition: { StringEquals: { 'events:source': 'rewards.platform', 'events:detail-type': detailType } },
      },
      { actions: ['sqs:SendMessage'], resources: [{ 'Fn::GetAtt': [failures[0]?.id, 'Arn'] }], condition: {} },
    ]);
    expect(role?.Properties.AssumeRolePolicyDocument).toMatchObject({
      Statement: [
        {
          Principal: { Service: 'scheduler.amazonaws.com' },
          Condition: {
            StringEquals: {
              'aws:SourceAccount': { Ref: 'AWS::AccountId' },
              'aws:SourceArn': { 'Fn::GetAtt': [group.id, 'Arn'] },
            },
          },
        },
      ],
    });
  });

  it('have the same deletion policy as the table', () => {
    expect(group.DeletionPolicy).toBe(stage === 'production' ? 'RetainExceptOnCreate' : 'Delete');
  });
});
