import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { consumers } from '../../functions/consumers.ts';
import { contracts } from '../../functions/contracts.ts';
import { managementResources } from '../../functions/management/contracts.ts';
import { DataStack } from '../../infra/stacks/data-stack.ts';
import { stageSettings } from '../../infra/stages.ts';
import { hosts } from '../../shared/contracts/contract.ts';
import { metricsOf } from './support/metrics.ts';
import { type Json, synthesized, synthesizedApp, textOf } from './support/synthesized.ts';

const stacksOf = (app: App): Stack[] => app.node.children.filter(Stack.isStack);
const templatesOf = (app: App) =>
  new Map(stacksOf(app).map((stack) => [stack.stackName, JSON.stringify(Template.fromStack(stack).toJSON())]));

describe('the stacks of production', () => {
  const stacks = stacksOf(synthesizedApp('production'));
  const before = new Map(stacks.map(({ stackName, dependencies }) => [stackName, dependencies.map(String)]));
  const [first, ...others] = hosts;

  it('refuse to be deleted', () => {
    expect(stacks.filter(({ terminationProtection }) => !terminationProtection)).toEqual([]);
  });

  it('are deployed one after another, the consumers before the hosts', () => {
    expect(before.get('rewards-production-consumers')).toEqual(
      expect.arrayContaining(['rewards-account', 'rewards-production-data']),
    );
    expect(before.get(`rewards-production-${first}`)).toContain('rewards-production-consumers');
    for (const [position, host] of others.entries()) {
      expect(before.get(`rewards-production-${host}`)).toContain(`rewards-production-${hosts[position]}`);
    }
  });

  it('stay far below the 500 resources that AWS allows', () => {
    const counts = stacks.map((stack) => Object.keys(Template.fromStack(stack).toJSON().Resources).length);
    expect(Math.max(...counts)).toBeLessThan(400);
  });
});

describe('a stack that other stacks use', () => {
  it.each(['rewards-sandbox-data', 'rewards-sandbox-edge'])(
    'exports the same values when other stacks no longer import them: %s',
    (name) => {
      const all = templatesOf(synthesizedApp('sandbox'));
      const onePerHost = hosts.flatMap((host) => contracts.filter((one) => one.host === host).slice(0, 1));
      const few = templatesOf(synthesizedApp('sandbox', { contracts: onePerHost, consumers: consumers.slice(0, 1) }));
      expect(few.get(name)).toBe(all.get(name));
    },
  );

  it('exports nothing of the table except its encryption key', () => {
    const templates = [...templatesOf(synthesizedApp('sandbox')).values()].join();
    const imported = [...templates.matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(([, exported]) => exported);
    expect(imported).not.toEqual([]);
    expect(imported.filter((exported) => /Table(?!Key)/.test(String(exported)))).toEqual([]);
  });

  it('publishes the ARNs of a restored table and its stream', () => {
    const restoredTable = { name: 'restored', arn: 'arn:of:the:table', streamArn: 'arn:of:the:stream' };
    const stack = new DataStack(new App(), 'data', {
      stage: { ...stageSettings('production'), restoredTable },
      code: () => Code.fromInline('//'),
    });
    const stored = Object.values(Template.fromStack(stack).findResources('AWS::SSM::Parameter'));
    expect(stored.map(({ Properties }) => Properties.Value)).toEqual([restoredTable.arn, restoredTable.streamArn]);
  });
});

describe('two stages in one account', () => {
  const [sandbox, production] = (['sandbox', 'production'] as const).map((stage) =>
    templatesOf(synthesizedApp(stage)),
  ) as [Map<string, string>, Map<string, string>];

  it('share only the stack of the account', () => {
    const shared = [...sandbox.keys()].filter((name) => production.has(name));
    expect(shared).toEqual(['rewards-account']);
    expect(sandbox.get('rewards-account')).toBe(production.get('rewards-account'));
  });

  it('have no resource with the same name', () => {
    const names = (stage: 'sandbox' | 'production'): Json[] =>
      synthesized(stage)
        .all.filter(({ Type }) => Type !== 'AWS::Lambda::Alias')
        .flatMap(({ Properties = {} }) =>
          Object.entries(Properties).flatMap(([property, value]) =>
            /^(\w*Name)$/.test(property) && property !== 'MetricName' && typeof value === 'string' ? [value] : [],
          ),
        );
    const known = new Set(names('production'));
    expect(names('sandbox').filter((name) => known.has(name))).toEqual([]);
  });

  it('have different namespaces for their metrics', () => {
    for (const stage of ['sandbox', 'production'] as const) {
      const { ofType, only } = synthesized(stage);
      const namespaces = ofType('AWS::Logs::MetricFilter').map(({ Properties }) => textOf(Properties));
      for (const text of [...namespaces, textOf(only('AWS::WAFv2::WebACL').Properties.VisibilityConfig)]) {
        expect(text).toContain(stage);
      }
    }
  });
});

describe.each(['sandbox', 'production'] as const)('a new endpoint version on the stage %s', (stage) => {
  const { ofType, referredBy } = synthesized(stage);
  const groups = ofType('AWS::CodeDeploy::DeploymentGroup');

  it(`starts with ${stage === 'production' ? 'a tenth of' : 'all'} the requests`, () => {
    const rollout = stage === 'production' ? 'LambdaCanary10Percent10Minutes' : 'LambdaAllAtOnce';
    expect(groups).toHaveLength(contracts.length + Object.keys(managementResources).length);
    for (const { Properties } of groups) expect(textOf(Properties.DeploymentConfigName)).toContain(rollout);
    for (const { UpdatePolicy } of ofType('AWS::Lambda::Alias')) {
      expect(UpdatePolicy).toHaveProperty('CodeDeployLambdaAliasUpdate');
    }
  });

  it('is rolled back by alarms of function and host', () => {
    for (const { Properties } of groups) {
      const { Alarms: alarms, Enabled: isEnabled } = Properties.AlarmConfiguration as {
        Alarms: { Name: Json }[];
        Enabled: boolean;
      };
      const metrics = alarms.flatMap(({ Name }) => metricsOf(referredBy(Name)));
      expect([isEnabled, ...metrics]).toEqual([true, 'Errors', 'Invocations', '5XXError', 'Count']);
      expect(Properties.AutoRollbackConfiguration).toMatchObject({ Enabled: true });
      expect(textOf(Properties.AutoRollbackConfiguration)).toContain('DEPLOYMENT_STOP_ON_ALARM');
    }
  });
});

describe('the resources that production keeps when a stack is deleted', () => {
  const { ofType } = synthesized('production');

  it.each([
    'AWS::DynamoDB::GlobalTable',
    'AWS::Events::Archive',
    'AWS::Scheduler::ScheduleGroup',
    'AWS::Logs::LogGroup',
    'AWS::ApiGateway::Account',
  ])('include every %s, unless a failed first deployment created it', (type) => {
    // Ignores the log of the web ACL. Its name is fixed: if it were kept, the stage could not be deployed again.
    const kept = ofType(type).filter(({ Properties = {} }) => Properties.LogGroupName === undefined);
    expect(kept).not.toEqual([]);
    expect(new Set(kept.map(({ DeletionPolicy }) => DeletionPolicy))).toEqual(new Set(['RetainExceptOnCreate']));
  });
});
