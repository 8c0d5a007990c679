import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { platformSource } from '../contracts/events.ts';
import { maximumAttempts, timingMs, toSeconds } from '../contracts/limits.ts';

/** Where schedules are, by which role they are done, the bus that they tell, and the queue for what they could not. */
export interface ClockSettings {
  readonly groupName: string;
  readonly roleArn: string;
  readonly targetArn: string;
  readonly deadLetterArn: string;
}

/**
 * The most that the service allows. It gives up at once where trying again cannot help; an outage of the bus
 * is over some time, and what is late then is still right.
 */
const retryPolicy = {
  MaximumRetryAttempts: maximumAttempts.schedule,
  MaximumEventAgeInSeconds: toSeconds(timingMs.scheduleRetries),
};

/** What the bus is told, and when. */
export interface Reminder {
  /** One of the same name is replaced. */
  readonly name: string;
  readonly at: Date;
  readonly detailType: string;
  readonly detail: unknown;
}

/** Has the bus told of something at a certain instant, once, within a minute after it and never before it. */
export class BusClock {
  readonly #client: SchedulerClient;
  readonly #settings: ClockSettings;

  constructor(client: SchedulerClient, settings: ClockSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  /** Sets a reminder, in place of the one that has its name. Safe to repeat. */
  async set(reminder: Reminder): Promise<void> {
    const schedule = this.#scheduleOf(reminder);
    try {
      await this.#client.send(new CreateScheduleCommand(schedule));
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
      await this.#client.send(new UpdateScheduleCommand(schedule));
    }
  }

  /** Takes a reminder back, if there is one of this name. */
  async unset(name: string): Promise<void> {
    try {
      await this.#client.send(new DeleteScheduleCommand({ Name: name, GroupName: this.#settings.groupName }));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  }

  #scheduleOf({ name, at, detailType, detail }: Reminder): CreateScheduleCommandInput {
    const { groupName, roleArn, targetArn, deadLetterArn } = this.#settings;
    return {
      Name: name,
      GroupName: groupName,
      ScheduleExpression: `at(${secondOf(at)})`,
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: targetArn,
        RoleArn: roleArn,
        EventBridgeParameters: { Source: platformSource, DetailType: detailType },
        Input: JSON.stringify(detail),
        RetryPolicy: retryPolicy,
        DeadLetterConfig: { Arn: deadLetterArn },
      },
    };
  }
}

/** Schedules know whole seconds: the first one that is not before the instant. */
function secondOf(instant: Date): string {
  return new Date(Math.ceil(instant.getTime() / 1000) * 1000).toISOString().slice(0, '2026-11-21T10:05:00'.length);
}
