import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { StageSettings } from '../stages.ts';
import type { BusClock } from './bus-clock.ts';

/** What every function and queue of the platform is made against: the stage, and what keeps state in it. */
export interface Platform {
  readonly stage: StageSettings;
  readonly table: TableV2;
  /** Encrypts the table. */
  readonly tableKey: IKey;
  readonly bus: EventBus;
  /** One-time schedules that tell the bus when something is due. */
  readonly clock: BusClock;
  /** The code of the function whose folder below functions/ is given. */
  readonly code: (folder: string) => Code;
  /** Where every alarm goes. */
  readonly alarms: ITopic;
}
