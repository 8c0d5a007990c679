import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import { Effect, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import * as z from 'zod/mini';
import { secretNameOf, syntheticSecret } from '../../shared/contracts/consumer.ts';
import { partitions } from '../../shared/contracts/table.ts';
import type { Platform } from './platform.ts';
import { keyStatement } from './table-policy.ts';

const reads = ['GetItem', 'BatchGetItem', 'Query', 'Scan'];
const writes = ['ConditionCheckItem', 'PutItem', 'UpdateItem', 'DeleteItem'];

/**
 * The attributes that an erasure may name when it updates an audit entry. `pk` and `sk` are the key of the entry. The
 * erasure changes `what` and `change`, which identify a person.
 */
const erasable = ['pk', 'sk', 'what', 'change'];

/**
 * The rights that people need for the commands of the command line. An account gives them to its own roles:
 *
 * - `reader`: the commands that change nothing.
 * - `operator`: all commands but `member erase`. It can add audit entries, but not change or delete them.
 * - `eraser`: all commands. In an audit entry it can change only the attributes that identify a person.
 */
export class OperatorPolicies extends Construct {
  /** The ARNs of the policies by their names. */
  readonly arns: Readonly<Record<'reader' | 'operator' | 'eraser', string>>;

  constructor(scope: Construct, id: string, platform: Platform) {
    super(scope, id);
    const read = [...stageStatements(platform), tableStatement(platform, reads)];
    const write = [
      ...stageStatements(platform),
      tableStatement(platform, [...reads, ...writes]),
      keyStatement(platform, { writes: true }),
      secretsStatement(platform),
      ...replayStatements(platform),
      denyOnAudit(platform, ['dynamodb:DeleteItem']),
    ];
    this.arns = {
      reader: this.#policy('reader', platform, [...read, keyStatement(platform, { writes: false })]),
      operator: this.#policy('operator', platform, [...write, denyOnAudit(platform, ['dynamodb:UpdateItem'])]),
      eraser: this.#policy('eraser', platform, [...write, denyOnAudit(platform, ['dynamodb:UpdateItem'], erasable)]),
    };
  }

  #policy(name: string, { stage }: Platform, statements: readonly PolicyStatement[]): string {
    const policy = new ManagedPolicy(this, name, {
      managedPolicyName: `rewards-${stage.name}-${name}`,
      description: `Rewards Platform (${stage.name}): the rights of ${name}s`,
      statements: [...statements],
    });
    const resources = statements.flatMap((statement) =>
      statement.resources.map((one) => inFinding(Stack.of(this).resolve(one))),
    );
    for (const resource of new Set(resources)) {
      if (!resource.includes('*')) continue;
      Validations.of(policy).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${resource}]`,
        reason: 'Operators work on all items, queues, programs and replays of their stage, and these come and go.',
      });
    }
    return policy.managedPolicyArn;
  }
}

/** Returns the text that stands for a resource in the findings of cdk-nag. */
function inFinding(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const { Ref: name, 'Fn::Join': joined } = z
    .object({ Ref: z.optional(z.string()), 'Fn::Join': z.optional(Joined) })
    .parse(resource);
  return joined ? joined[1].map(inFinding).join('') : `<${name}>`;
}

const Joined = z.tuple([z.string(), z.array(z.unknown())]);

/** The permissions to find the table, and to read the lengths of the queues. */
function stageStatements({ stage, table }: Platform): PolicyStatement[] {
  const stack = Stack.of(table);
  const ofStack = stack.formatArn({
    service: 'cloudformation',
    resource: 'stack',
    resourceName: `rewards-${stage.name}-data/*`,
  });
  const queues = stack.formatArn({ service: 'sqs', resource: `rewards-${stage.name}-*` });
  return [
    new PolicyStatement({ actions: ['cloudformation:DescribeStacks'], resources: [ofStack] }),
    new PolicyStatement({ actions: ['sqs:ListQueues'], resources: ['*'] }),
    new PolicyStatement({ actions: ['sqs:GetQueueAttributes'], resources: [queues] }),
  ];
}

function tableStatement({ table: { tableArn } }: Platform, actions: readonly string[]): PolicyStatement {
  return new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [tableArn, `${tableArn}/index/*`],
  });
}

/**
 * The permissions to read and write two kinds of secrets: those that the platform shares with partners' own programs,
 * and the secret of the synthetic purchase.
 */
function secretsStatement({ stage, table }: Platform): PolicyStatement {
  const secrets = ['program/*', `${syntheticSecret}*`].map((secret) =>
    Stack.of(table).formatArn({
      ...{ service: 'secretsmanager', resource: 'secret', resourceName: secretNameOf(stage.name, secret) },
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    }),
  );
  const actions = ['GetSecretValue', 'CreateSecret', 'PutSecretValue'].map((action) => `secretsmanager:${action}`);
  return new PolicyStatement({ actions, resources: secrets });
}

/** The permissions to send archived payment events to their consumer again. */
function replayStatements({ bus, partnerBuses, stage, table }: Platform): PolicyStatement[] {
  const stack = Stack.of(table);
  const buses = [bus, ...partnerBuses].map(({ eventBusArn }) => eventBusArn);
  const others = ['rule', 'archive', 'replay'].map((resource) =>
    stack.formatArn({
      service: 'events',
      resource,
      resourceName: resource === 'archive' ? `rewards-${stage.name}-*` : '*',
    }),
  );
  return [
    new PolicyStatement({ actions: ['events:ListArchives', 'events:ListRules'], resources: ['*'] }),
    new PolicyStatement({ actions: ['events:StartReplay'], resources: [...buses, ...others] }),
  ];
}

/**
 * Denies actions on audit entries, even inside a DynamoDB transaction. `except` names attributes that an update may
 * change. IAM cannot stop a person who overwrites an entry with PutItem, but CloudTrail records it.
 */
function denyOnAudit({ table }: Platform, actions: string[], except?: readonly string[]): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.DENY,
    actions,
    resources: [table.tableArn],
    conditions: {
      'ForAnyValue:StringLike': {
        'dynamodb:LeadingKeys': [`${partitions.audit}*`, `${partitions.organisationAudit}*`],
      },
      ...(except && { 'ForAnyValue:StringNotEquals': { 'dynamodb:Attributes': except } }),
    },
  });
}
