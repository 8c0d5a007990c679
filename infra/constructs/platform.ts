import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { ScheduledEvent } from '../../shared/contracts/consumer.ts';
import type { StageSettings } from '../stages.ts';
import type { AlarmTopics } from './alarms.ts';
import type { BusClock } from './bus-clock.ts';

/** The context of every function and queue: the stage and its resources with state. */
export interface Platform {
  readonly stage: StageSettings;
  /** The table, as a reference that the stack of the functions can use. */
  readonly table: ITableV2;
  /** Encrypts the table. */
  readonly tableKey: IKey;
  readonly bus: EventBus;
  /** The buses of the stage's partner event sources, such as payment platforms. */
  readonly partnerBuses: readonly EventBus[];
  /** The group of one-time schedules for each event that a schedule may put on the bus. */
  readonly clocks: Readonly<Record<ScheduledEvent, BusClock>>;
  /** The code of the function in a folder below functions/. */
  readonly code: (folder: string) => Code;
  /** The topics of every alarm. */
  readonly alarms: AlarmTopics;
}
