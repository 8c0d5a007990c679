import { describe, expect, it } from 'vitest';
import { statementsOf } from './support/policy.ts';
import { type Json, type JsonObject, synthesized, textOf } from './support/synthesized.ts';

describe.each(['sandbox', 'production'] as const)('the clock in %s', (stage) => {
  const app = synthesized(stage);
  const group = app.only('AWS::Scheduler::ScheduleGroup');
  const name = String(group.Properties.Name);
  const bus = app.only('AWS::Events::EventBus');
  const lambda = app.functionIn('consumers/schedule-campaign');
  const { Variables: variables } = lambda.Properties.Environment as { Variables: JsonObject };
  const statements = statementsOf(app.referredBy(lambda.Properties.Role));
  const passed = statements.find(({ actions }) => actions.includes('iam:PassRole'));

  /** The one role that schedules are done by: imported from another stack, by a name that its id ends. */
  const role = app
    .ofType('AWS::IAM::Role')
    .find(
      ({ id, Properties }) =>
        textOf(Properties.AssumeRolePolicyDocument).includes('scheduler') && id.startsWith('Clock'),
    );

  it('may be set by the function that declares it, in its own group and by its own role', () => {
    const setting = statements.find(({ actions }) => actions.includes('scheduler:CreateSchedule'));
    expect(setting?.actions.toSorted()).toEqual(
      ['CreateSchedule', 'DeleteSchedule', 'GetSchedule', 'UpdateSchedule'].map((action) => `scheduler:${action}`),
    );
    expect(textOf(setting?.resources)).toMatch(new RegExp(`:schedule/${name}/\\*$`));
    expect(textOf(passed?.resources)).toContain(role?.id);
    expect(passed?.condition).toEqual({ StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } });
  });

  it('tells the function where it is', () => {
    expect(variables.SCHEDULE_GROUP).toBe(name);
    expect(variables.SCHEDULE_ROLE_ARN).toEqual(passed?.resources[0] as Json);
    expect(textOf(variables.SCHEDULE_TARGET_ARN)).toContain(bus.id);
  });

  it('is done by a role that may put events on the one bus, for schedules of the group alone', () => {
    expect(role && statementsOf(role)).toEqual([
      { actions: ['events:PutEvents'], resources: [{ 'Fn::GetAtt': [bus.id, 'Arn'] }], condition: {} },
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

  it('keeps what is scheduled as long as the table', () => {
    expect(group.DeletionPolicy).toBe(stage === 'production' ? 'Retain' : 'Delete');
  });
});
