import type { DynamoDbCall } from './dynamodb/call.ts';
import type { DynamoDb } from './dynamodb/dynamodb.ts';
import type { Faults } from './dynamodb/faults.ts';
import type { InvocationResult } from './lambda/function-pool.ts';

/** Ports to listen on; what is not given may be any. */
export interface Ports {
  /** By the host's name: `base`, `reward`, … */
  readonly hosts: Readonly<Record<string, number>>;
  readonly dynamodb: number;
  readonly sqs: number;
  readonly events: number;
  readonly scheduler: number;
}

export interface PlatformOptions {
  /** The cloud assembly: a folder that `cdk synth` wrote. */
  readonly assembly: string;
  /** Where logs go, and the data when it is kept. */
  readonly stateDirectory: string;
  readonly ports?: Partial<Ports>;
  /** Keeps tables and queues in the state folder, for the next start. */
  readonly persist?: boolean;
  /** A DynamoDB Local that runs already; it is not stopped with the platform. */
  readonly dynamodb?: DynamoDb;
  /** Keeps an account of every DynamoDB call, for `calls()`. */
  readonly recordDynamoDb?: boolean;
  /** Refuses what a function's role does not allow on DynamoDB. */
  readonly enforceIam?: boolean;
  /** Lets DynamoDB calls fail and workers die, through `faults`. A number is the seed of what happens by chance. */
  readonly faults?: boolean | number;
  /** Environment variables for every function, over those of the template. */
  readonly environment?: Readonly<Record<string, string>>;
  /** How long a message that failed stays hidden, instead of what the template says of each queue. */
  readonly visibilityTimeoutSeconds?: number;
  /** How long the gateways wait for a function; API Gateway's 29 s by default. */
  readonly integrationLimitMs?: number;
  /** Whether the template's schedules run; true unless said. */
  readonly schedules?: boolean;
  /** Workers of each function at most. */
  readonly concurrency?: number;
}

/** Where AWS's own APIs answer, and what the template made there. */
export interface AwsAddresses {
  readonly region: string;
  readonly dynamodb: string;
  readonly sqs: string;
  readonly events: string;
  readonly scheduler: string;
  /** Name of the one table. */
  readonly table: string;
  /** Name of the one bus. */
  readonly bus: string;
}

/** What can be made to go wrong with queues. */
export interface QueueFaultSettings {
  /** Hands every batch of these queues (parts of their names) to their function twice. */
  duplicate(...queues: string[]): void;
  /** Holds every batch back this long. */
  delay(milliseconds: number): void;
  clear(): void;
}

/** The platform, running. */
export interface Platform {
  /** Base URL by host. */
  readonly hosts: Readonly<Record<string, string>>;
  readonly aws: AwsAddresses;
  /** Folder with one log file for each function. */
  readonly logs: string;
  /** Short names of the functions. */
  readonly functions: readonly string[];
  /** Runs a function by its short name, name or ARN. */
  invoke(name: string, event: unknown): Promise<InvocationResult>;
  /** DynamoDB calls since the start or the last `clearCalls()`, in the order of their ends. */
  calls(): readonly DynamoDbCall[];
  clearCalls(): void;
  readonly faults: Faults;
  readonly queueFaults: QueueFaultSettings;
  /** URL of the queue whose name or logical id contains this. */
  queueUrl(name: string): string;
  /** Bodies of the messages of such a queue, those included that cannot be received at the moment. */
  messages(name: string): readonly string[];
  /** Ends everything that was started, the processes too. */
  stop(): Promise<void>;
}
