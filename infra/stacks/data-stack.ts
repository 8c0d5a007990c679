import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Archive, EventBus } from 'aws-cdk-lib/aws-events';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { campaignDueName, endpointDueName } from '../../shared/contracts/events.ts';
import { retentionMs } from '../../shared/contracts/limits.ts';
import { PlatformAlarmTopics, severities } from '../constructs/alarms.ts';
import { BusClock } from '../constructs/bus-clock.ts';
import { EdgeSecret } from '../constructs/edge-secret.ts';
import type { Platform } from '../constructs/platform.ts';
import { PlatformTable } from '../constructs/platform-table.ts';
import { TableAlarms } from '../constructs/table-alarms.ts';
import { TableBackups } from '../constructs/table-backups.ts';
import { dataRemovalPolicy, type StageSettings } from '../stages.ts';

export type DataStackProps = Pick<Platform, 'stage' | 'code'>;

/** The resources with state: the table and its key, the bus and its archive, the schedules, the topics of alarms. */
export class DataStack extends Stack {
  readonly #platform: Omit<Platform, 'table'>;

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
    const alarms = new PlatformAlarmTopics(this, 'Alarms', { stage }).topics;
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

    this.#platform = { stage, code, tableKey: key, bus, partnerBuses, clocks, alarms };
    this.#exportForGood();
    new EdgeSecret(this, 'EdgeSecret', stage);
    const present = stage.restoredTable ?? {
      name: table.tableName,
      arn: table.tableArn,
      streamArn: streamArnOf(table),
    };
    new TableAlarms(this, 'TableAlarms', { platform: { alarms, stage }, tableName: present.name });
    if (stage.backups) {
      new TableBackups(this, 'Backups', {
        stage,
        backups: stage.backups,
        tableArn: present.arn,
        alarms: alarms.ticket,
      });
    }
    for (const part of tableParts) {
      const parameterName = tableParameter(stage, part);
      new StringParameter(this, `Table-${part}`, { parameterName, stringValue: present[part] });
    }
    new CfnOutput(this, 'TableName', { value: present.name });
    new CfnOutput(this, 'BusName', { value: bus.eventBusName });
    for (const severity of severities) {
      new CfnOutput(this, `${severity}TopicArn`, { value: alarms[severity].topicArn });
    }
  }

  /**
   * Returns the platform for use in another stack. The other stack reads the table's names from SSM parameters when it
   * is deployed. An export could not change while another stack imports it, so a restored table could never replace a
   * lost one.
   */
  platformFor(stack: Stack, { readsStream = false } = {}): Platform {
    const { stage, tableKey } = this.#platform;
    const storedAs = (part: TablePart) => StringParameter.valueForStringParameter(stack, tableParameter(stage, part));
    stack.addStackDependency(this);
    const table = TableV2.fromTableAttributes(stack, 'Table', {
      tableArn: storedAs('arn'),
      ...(readsStream && { tableStreamArn: storedAs('streamArn') }),
      encryptionKey: tableKey,
    });
    return { ...this.#platform, table };
  }

  #archive(id: string, bus: EventBus, stage: StageSettings): void {
    const archive = new Archive(this, id, {
      sourceEventBus: bus,
      eventPattern: { account: [this.account] },
      retention: Duration.millis(retentionMs.archivedEvent),
    });
    archive.applyRemovalPolicy(dataRemovalPolicy(stage));
  }

  /**
   * Exports every value that other stacks may use, even if no stack uses it now. By default, CDK removes an export
   * that no stack uses any more. But this stack is deployed first, and AWS refuses to remove an export that a deployed
   * stack still uses.
   */
  #exportForGood(): void {
    const { tableKey, bus, partnerBuses, alarms, clocks } = this.#platform;
    const values = [
      tableKey.keyArn,
      ...[bus, ...partnerBuses].flatMap(({ eventBusArn, eventBusName }) => [eventBusArn, eventBusName]),
      ...severities.map((severity) => alarms[severity].topicArn),
      ...Object.values(clocks).flatMap((clock) => clock.exportedValues()),
    ];
    for (const value of values) this.exportValue(value);
  }
}

const tableParts = ['arn', 'streamArn'] as const;
type TablePart = (typeof tableParts)[number];

const tableParameter = ({ name }: StageSettings, part: TablePart): string => `/rewards/${name}/table/${part}`;

function streamArnOf({ tableStreamArn }: TableV2): string {
  if (!tableStreamArn) throw new Error('the table has no stream');
  return tableStreamArn;
}
