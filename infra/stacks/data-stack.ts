import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Archive, EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { retentionMs } from '../../shared/contracts/limits.ts';
import { AlarmTopic } from '../constructs/alarms.ts';
import { BusClock } from '../constructs/bus-clock.ts';
import type { Platform } from '../constructs/platform.ts';
import { PlatformTable } from '../constructs/platform-table.ts';
import type { StageSettings } from '../stages.ts';

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
    this.#archive(bus, stage);
    const alarms = new AlarmTopic(this, 'Alarms').topic;
    const clock = new BusClock(this, 'Clock', { bus, stage, alarms });

    this.platform = { stage, code, table, tableKey: key, bus, clock, alarms };
    new CfnOutput(this, 'TableName', { value: table.tableName });
    new CfnOutput(this, 'BusName', { value: bus.eventBusName });
    new CfnOutput(this, 'AlarmTopicArn', { value: alarms.topicArn });
  }

  #archive(bus: EventBus, stage: StageSettings): void {
    const archive = new Archive(this, 'BusArchive', {
      sourceEventBus: bus,
      eventPattern: { account: [this.account] },
      retention: Duration.millis(retentionMs.archivedEvent),
    });
    archive.applyRemovalPolicy(stage.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY);
  }
}
