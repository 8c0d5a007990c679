import { App, type AppProps, CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { CfnAccount, type IStage } from 'aws-cdk-lib/aws-apigateway';
import { Archive, EventBus } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import cdk from '../cdk.json' with { type: 'json' };
import { consumers } from '../functions/consumers.ts';
import { contracts } from '../functions/contracts.ts';
import type { Consumer, QueueSource } from '../shared/contracts/consumer.ts';
import { type AnyContract, type Host, hosts } from '../shared/contracts/contract.ts';
import { campaignDueName, endpointDueName } from '../shared/contracts/events.ts';
import { retentionMs } from '../shared/contracts/limits.ts';
import { AlarmTopic } from './constructs/alarms.ts';
import { BusClock } from './constructs/bus-clock.ts';
import {
  BusConsumer,
  NamedQueueConsumer,
  type NamedQueues,
  queueNamed,
  ScheduledConsumer,
  StreamConsumer,
} from './constructs/consumers.ts';
import type { Platform } from './constructs/platform.ts';
import { PlatformTable } from './constructs/platform-table.ts';
import { WorkQueue } from './constructs/queues.ts';
import { RestHost } from './constructs/rest-host.ts';
import { PlatformWebAcl } from './constructs/web-acl.ts';
import { type StageSettings, stageSettings } from './stages.ts';

// The CDK app and its three stacks: data, API and consumers.

export type DataStackProps = Pick<Platform, 'stage' | 'code'>;

/** The resources with state: the table and its key, the bus and its archive, the schedules, the topic of alarms. */
export class DataStack extends Stack {
  readonly platform: Platform;

  constructor(scope: Construct, id: string, { stage, code }: DataStackProps) {
    super(scope, id, {
      env: { region: stage.region },
      description: `Rewards Platform (${stage.name}): the resources with state`,
      terminationProtection: stage.keepsData,
    });

    const { table, key } = new PlatformTable(this, 'Table', { stage });
    const bus = new EventBus(this, 'Bus', { description: 'The events of the platform' });
    this.#archive('BusArchive', bus, stage);
    const partnerBuses = stage.partnerEventSources.map((eventSourceName, position) => {
      const partnerBus = new EventBus(this, `PartnerBus${position + 1}`, { eventSourceName });
      this.#archive(`PartnerBusArchive${position + 1}`, partnerBus, stage);
      return partnerBus;
    });
    const alarms = new AlarmTopic(this, 'Alarms').topic;
    const clocks = {
      [campaignDueName]: new BusClock(this, 'Clock', {
        ...{ bus, stage, alarms, detailType: campaignDueName },
        impact: 'Campaigns start and end late, when the sweep finds them.',
      }),
      [endpointDueName]: new BusClock(this, 'EndpointClock', {
        ...{ bus, stage, alarms, detailType: endpointDueName },
        impact: 'Endpoints that failed are tried late, when the sweep finds them.',
      }),
    };

    this.platform = { stage, code, table, tableKey: key, bus, partnerBuses, clocks, alarms };
    new CfnOutput(this, 'TableName', { value: table.tableName });
    new CfnOutput(this, 'BusName', { value: bus.eventBusName });
    new CfnOutput(this, 'AlarmTopicArn', { value: alarms.topicArn });
  }

  #archive(id: string, bus: EventBus, stage: StageSettings): void {
    const archive = new Archive(this, id, {
      sourceEventBus: bus,
      eventPattern: { account: [this.account] },
      retention: Duration.millis(retentionMs.archivedEvent),
    });
    archive.applyRemovalPolicy(stage.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY);
  }
}

export interface ApiStackProps {
  readonly platform: Platform;
  readonly contracts: readonly AnyContract[];
}

/** The six hosts and their endpoints. It has no state: it can be deleted and created again. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, { platform, contracts }: ApiStackProps) {
    const { name, region } = platform.stage;
    super(scope, id, { env: { region }, description: `Rewards Platform (${name}): the six hosts` });
    const logging = new GatewayLogging(this, 'GatewayLogging');
    const webAcl = new PlatformWebAcl(this, 'WebAcl', platform.stage);

    for (const host of hosts) {
      const own = contracts.filter((contract) => contract.host === host);
      const { api } = new RestHost(this, titleCase(host), { platform, host, contracts: own });
      logging.enableFor(api.deploymentStage);
      webAcl.protect(titleCase(host), api.deploymentStage);
      new CfnOutput(this, `${titleCase(host)}Url`, { value: api.url });
    }
  }
}

function titleCase(host: Host): string {
  return host.charAt(0).toUpperCase() + host.slice(1);
}

const managedPolicy = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/** Allows API Gateway to write to CloudWatch. The setting belongs to account and region, so it exists once. */
class GatewayLogging extends Construct {
  readonly #account: CfnAccount;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(managedPolicy)],
    });
    this.#account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });

    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${managedPolicy}]`,
      reason: 'API Gateway refuses a role with fewer permissions than this policy of AWS.',
    });
  }

  /** A stage with logs can only be created after the account setting. */
  enableFor(stage: IStage): void {
    stage.node.addDependency(this.#account);
  }
}

export interface ConsumersStackProps {
  readonly platform: Platform;
  readonly consumers: readonly Consumer[];
}

type QueueOwner = Consumer & { readonly source: QueueSource };

/** The work after the reply to a request: relay, rules, queues, schedules and their functions. */
export class ConsumersStack extends Stack {
  constructor(scope: Construct, id: string, { platform, consumers }: ConsumersStackProps) {
    const { name, region } = platform.stage;
    super(scope, id, { env: { region }, description: `Rewards Platform (${name}): the work after the reply` });

    // Queues first: a function may send to the queue of another consumer, and to its own.
    const queues = this.#namedQueues(platform, consumers.filter(ownsQueue));
    for (const consumer of consumers) this.#addConsumer(platform, consumer, queues);
  }

  #namedQueues(platform: Platform, owners: readonly QueueOwner[]): NamedQueues {
    return new Map(
      owners.map(({ source, timeoutSeconds, impact }) => {
        const props = { platform, timeoutSeconds, retries: source.retries, impact };
        return [source.queue, new WorkQueue(this, `queue-${source.queue}`, props).queue];
      }),
    );
  }

  #addConsumer(platform: Platform, consumer: Consumer, queues: NamedQueues): void {
    const { name, source } = consumer;
    const props = { platform, consumer, queues };

    switch (source.kind) {
      case 'stream':
        new StreamConsumer(this, name, { ...props, source });
        break;
      case 'bus':
        new BusConsumer(this, name, { ...props, source });
        break;
      case 'queue':
        new NamedQueueConsumer(this, name, { ...props, source, queue: queueNamed(source.queue, queues) });
        break;
      case 'schedule':
        new ScheduledConsumer(this, name, { ...props, source });
        break;
    }
  }
}

function ownsQueue(consumer: Consumer): consumer is QueueOwner {
  return consumer.source.kind === 'queue';
}

export interface RewardsPlatformProps extends AppProps {
  /** The code of the function in a folder; its bundle in dist/ by default. */
  readonly code?: Platform['code'];
}

const bundled: Platform['code'] = (folder) => Code.fromAsset(`dist/${folder}`);

/**
 * The whole platform from the lists of contracts and consumers, for the stage in the context value `stage`.
 * Reads the feature flags of cdk.json itself, so it runs without the CLI.
 */
export function rewardsPlatform({ code = bundled, ...props }: RewardsPlatformProps = {}): App {
  const app = new App({ analyticsReporting: false, ...props, context: { ...cdk.context, ...props.context } });
  const stage = stageSettings(app.node.tryGetContext('stage'));
  const named = (part: string) => `rewards-${stage.name}-${part}`;

  const { platform } = new DataStack(app, named('data'), { stage, code });
  new ApiStack(app, named('api'), { platform, contracts });
  new ConsumersStack(app, named('consumers'), { platform, consumers });

  return app;
}
