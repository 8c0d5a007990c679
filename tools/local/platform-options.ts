import type { PlatformClock } from './clock/platform-clock.ts';
import type { NewUser } from './cognito/users.ts';
import type { DynamoDbCall } from './dynamodb/call.ts';
import type { DynamoDb } from './dynamodb/dynamodb.ts';
import type { Faults } from './dynamodb/faults.ts';
import type { InvocationResult } from './lambda/function-pool.ts';
import type { QueueFaults } from './lambda/queue-faults.ts';
import type { WorkerBudgetOptions } from './lambda/worker-budget.ts';

/** Ports to listen on. */
export interface Ports {
  /** The keys are the names of the hosts: `base`, `reward`, … */
  readonly hosts: Readonly<Record<string, number>>;
  readonly dynamodb: number;
  readonly sqs: number;
  readonly events: number;
  readonly scheduler: number;
  readonly secrets: number;
  readonly parameters: number;
  /** The user pool. */
  readonly oidc: number;
  /** The keys are the names of the sites: `dashboard`. */
  readonly sites: Readonly<Record<string, number>>;
  /** The demonstration's loyalty program, which runs next to the platform. */
  readonly program: number;
  /** The API reference. */
  readonly reference: number;
}

export interface PlatformOptions {
  /** The cloud assembly: a folder written by `cdk synth`. */
  readonly assembly: string;
  /** Folder of the logs. With `persist`, it also keeps the data. */
  readonly stateDirectory: string;
  /** An absent port means any free port. */
  readonly ports?: Partial<Ports>;
  /** Keeps tables and queues in the state folder for the next start. */
  readonly persist?: boolean;
  /** A running DynamoDB Local to use. It is not stopped with the platform. */
  readonly dynamodb?: DynamoDb;
  /** Records every DynamoDB call for `calls()`. */
  readonly recordDynamoDb?: boolean;
  /** Records every invocation for `invocations()`. */
  readonly recordInvocations?: boolean;
  /** Refuses DynamoDB calls that a function's role does not allow. */
  readonly enforceIam?: boolean;
  /** Enables `Platform.faults`. A number is the seed of random faults. */
  readonly faults?: boolean | number;
  /** Environment variables for every function. They replace the template's variables of the same names. */
  readonly environment?: Readonly<Record<string, string>>;
  /** How long a failed message stays hidden. Replaces the template's value of every queue. */
  readonly visibilityTimeoutSeconds?: number;
  /** How long the gateways wait for a function. Default: API Gateway's 29 s. */
  readonly integrationLimitMs?: number;
  /** Whether the template's schedules run. Default: true. */
  readonly schedules?: boolean;
  /** Whether the template's sites are served, and its buckets filled. Default: true. */
  readonly sites?: boolean;
  /**
   * The platform's time. `controlled`: the machine's time plus an offset that `Platform.clock.advance` moves forward.
   * Default: `system`, the machine's time.
   */
  readonly clock?: 'system' | 'controlled';
  /** How many workers all functions have together, and how long unused ones stay. */
  readonly workers?: WorkerBudgetOptions;
  /** Maximum number of workers for each function. */
  readonly concurrency?: number;
}

/** Endpoints of the AWS services, and the names of the template's table and bus. */
export interface AwsAddresses {
  readonly region: string;
  readonly dynamodb: string;
  readonly sqs: string;
  readonly events: string;
  readonly scheduler: string;
  readonly secrets: string;
  readonly parameters: string;
  /** The user pool: its pages and Cognito's calls about users. Undefined for an assembly without a user pool. */
  readonly oidc: string | undefined;
  /** S3 listens where SQS does. */
  readonly s3: string;
  readonly table: string;
  readonly bus: string;
}

/** The addresses to which a person or a program can send events of payment platforms. */
export interface PaymentAddresses {
  /** The queue to which the buses of payment platforms deliver. A message is one event with its envelope. */
  readonly queueUrl: string;
  /** The partner event sources of the template. Each has a bus of the same name. */
  readonly partnerSources: readonly string[];
}

/** One invocation of a function. */
export interface Invocation {
  /** Short name of the function. */
  readonly function: string;
  /** The event as JSON. */
  readonly event: string;
  /** Whether the invocation has ended. */
  readonly ended: boolean;
}

/** A running platform. */
export interface Platform {
  /** Base URL by host, of the hosts that partners call. */
  readonly hosts: Readonly<Record<string, string>>;
  /** The URL of each site: `dashboard`. Empty without the option `sites`. */
  readonly sites: Readonly<Record<string, string>>;
  readonly aws: AwsAddresses;
  readonly payments: PaymentAddresses;
  /** Folder with one log file for each function. */
  readonly logs: string;
  /** Short names of the functions. */
  readonly functions: readonly string[];
  /** Runs a function by its short name, name or ARN. */
  invoke(name: string, event: unknown): Promise<InvocationResult>;
  /** Ends all workers of a function immediately, with everything that they have in memory. */
  kill(name: string): Promise<void>;
  /** Adds people who can sign in at the user pool at once. Does nothing without a user pool. */
  addPeople(people: readonly NewUser[]): void;
  /** Returns the DynamoDB calls since the start or the last `clearCalls()`, in the order of their replies. */
  calls(): readonly DynamoDbCall[];
  clearCalls(): void;
  /** Returns the invocations since the start, in the order in which they began. */
  invocations(): readonly Invocation[];
  /** The time that handlers and services see. Only the controlled clock can be moved. */
  readonly clock: Pick<PlatformClock, 'now' | 'advance'>;
  /**
   * Lets a period pass on the controlled clock as it would by itself. The clock moves from one due message or one-time
   * schedule to the next, so each happens at its time or at most a second later. Each time
   * the clock moves, a recurring schedule runs at most once, even if it was due more often.
   *
   * @throws Error when the platform has the machine's time, or when the work after a move takes longer than `settled`
   * waits by default
   */
  elapse(byMs: number): Promise<void>;
  /**
   * Waits until all work is done: invocations, deliveries, visible messages of the queues that functions receive from,
   * new records of the streams. Work that waits for a later time does not count.
   *
   * @param limitMs the longest wait, in milliseconds of the machine's time; default 30,000
   * @throws Error that lists the unfinished work, when the platform is still busy after the limit
   */
  settled(limitMs?: number): Promise<void>;
  readonly faults: Faults;
  readonly queueFaults: QueueFaults;
  /** Returns the URL of the queue whose name or logical id contains `name`. */
  queueUrl(name: string): string;
  /** Returns the bodies of all messages of the queue whose name or logical id contains `name`, visible or not. */
  messages(name: string): readonly string[];
  /** Stops the platform and all its processes. */
  stop(): Promise<void>;
}
