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

/** The group of the schedules, the role that executes them, the bus, and the dead-letter queue. */
export interface ClockSettings {
  readonly groupName: string;
  readonly roleArn: string;
  readonly targetArn: string;
  readonly deadLetterArn: string;
}

/**
 * A late event still has its effect. So when the bus fails, the scheduler repeats the call for as long as the service
 * allows.
 */
const retryPolicy = {
  MaximumRetryAttempts: maximumAttempts.schedule,
  MaximumEventAgeInSeconds: toSeconds(timingMs.scheduleRetries),
};

/** An event for the bus at a certain time. */
export interface Reminder {
  /** Replaces the reminder of the same name. */
  readonly name: string;
  readonly at: Date;
  readonly detailType: string;
  readonly detail: unknown;
}

/** Puts each event on the bus once: never before its time, and at most a minute after it. */
export class BusClock {
  readonly #client: SchedulerClient;
  readonly #settings: ClockSettings;

  constructor(client: SchedulerClient, settings: ClockSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  /** Creates a reminder, or replaces the reminder of the same name. Safe to repeat. */
  async set(reminder: Reminder): Promise<void> {
    const schedule = this.#scheduleOf(reminder);
    try {
      await this.#client.send(new CreateScheduleCommand(schedule));
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
      await this.#client.send(new UpdateScheduleCommand(schedule));
    }
  }

  /** Deletes the reminder of this name, if there is one. */
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

/** The time of a schedule in whole seconds, rounded up. */
function secondOf(instant: Date): string {
  return new Date(Math.ceil(instant.getTime() / 1000) * 1000).toISOString().slice(0, '2026-11-21T10:05:00'.length);
}
