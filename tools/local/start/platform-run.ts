import { join, resolve } from 'node:path';
import type { NewUser } from '../cognito/users.ts';
import { startDynamoDb } from '../dynamodb/dynamodb.ts';
import { watch } from '../dynamodb/heartbeat.ts';
import { startPlatform } from '../platform.ts';
import type { Platform, Ports } from '../platform-options.ts';
import { startReference } from '../reference/reference.ts';
import { Stoppers } from '../stoppers.ts';
import { buildBanner, buildFarewell } from './banner.ts';
import { type DemoProgram, startDemoProgram } from './demo-program.ts';
import type { StartOptions } from './options.ts';
import { claimPorts, describeMove } from './port-claim.ts';
import { postmanEnvironment } from './postman-environment.ts';
import { Progress } from './progress.ts';
import { reconnect, seed, synthesize } from './scripts.ts';
import {
  DataFolder,
  type Demo,
  type Person,
  type PlatformFile,
  type Seeded,
  StateFolder,
  toPayments,
} from './state.ts';

/** One run of `npm start`. */
export class PlatformRun {
  readonly #options: StartOptions;
  readonly #state: StateFolder;
  readonly #data: DataFolder;
  readonly #stoppers = new Stoppers();
  readonly #abort = new AbortController();
  readonly #startedAt = performance.now();
  readonly #progress: Progress;

  constructor(options: StartOptions) {
    this.#options = options;
    this.#progress = new Progress(options.json ? undefined : process.stdout);
    this.#state = new StateFolder(resolve(options.stateDirectory));
    this.#data = new DataFolder(this.#state.directory);
  }

  /**
   * Starts the platform, writes platform.json and prints the banner.
   * @param onLost called with the reason when DynamoDB Local ends by itself
   */
  async start(onLost: (reason: string) => void): Promise<void> {
    this.#state.lock();
    this.#stoppers.add(() => this.#state.unlock());
    const { ports, release } = await claimPorts(this.#options.portBase);
    this.#stoppers.add(release);
    const move = this.#options.portBase === undefined ? describeMove(ports) : undefined;
    if (move) this.#progress.note(move);
    if (this.#options.persist) this.#data.prepare({ isSeeded: this.#options.seed });
    const platform = await this.#startPlatform(ports, onLost);
    const { payments, ...demo }: Seeded = this.#options.seed ? await this.#seed(platform, ports) : {};
    platform.addPeople((demo.people ?? []).map(toUser));
    const { hosts, sites, aws } = platform;
    const reference = await this.#startReference(hosts, demo, ports);
    const content = { hosts, sites, aws, reference, payments: toPayments(platform, payments), demo };
    this.#state.publish(content);
    this.#print(content, platform);
  }

  /** Starts the API reference with the credentials of the demonstration's merchant, and returns its address. */
  async #startReference(hosts: Platform['hosts'], demo: Demo, ports: Ports): Promise<string> {
    const { merchant, members = [] } = demo;
    const credentials = {
      partnerKey: merchant?.apiKey,
      userToken: members[0]?.accessToken,
      client: merchant && { id: merchant.clientId, secret: merchant.clientSecret },
    };
    const reference = await startReference({
      ...{ port: ports.reference, hosts, credentials },
      environment: postmanEnvironment(hosts, demo),
    });
    this.#stoppers.add(() => reference.close());
    return reference.url;
  }

  /**
   * Creates the demonstration, or uses the one that an earlier start kept. Its partner has a loyalty program in a
   * process of its own.
   */
  async #seed(platform: Platform, ports: Ports): Promise<Seeded> {
    const { persist } = this.#options;
    this.#progress.step('Creating the organisations, campaigns and members of the demonstration');
    const dataDirectory = persist ? this.#data.directory : undefined;
    const program = await startDemoProgram({ port: ports.program, dataDirectory });
    this.#stoppers.add(() => program.stop());
    const kept = persist ? this.#data.demo : undefined;
    const demo = kept ? await this.#moved(kept, program, platform) : await this.#newDemo(program, platform);
    await program.reportTo(`${platform.hosts.base}/programs/${demo.partner?.id}/reports`);
    return demo;
  }

  async #newDemo(program: DemoProgram, { aws }: Platform): Promise<Seeded> {
    const demo = await seed({ aws, program, signal: this.#abort.signal });
    if (this.#options.persist) this.#data.keep(demo);
    return demo;
  }

  /** Returns the kept demonstration. If the program's address has changed, connects the program again first. */
  async #moved(kept: Seeded, program: DemoProgram, { hosts }: Platform): Promise<Seeded> {
    if (!kept.program || kept.program.url === program.url || !kept.partner) return kept;
    const portBase = new URL(hosts.base ?? '').port;
    await reconnect({ program, partnerId: kept.partner.id, portBase, signal: this.#abort.signal });
    const demo = { ...kept, program: { url: program.url } };
    this.#data.keep(demo);
    return demo;
  }

  async #startPlatform(ports: Ports, onLost: (reason: string) => void): Promise<Platform> {
    const { persist, dashboard } = this.#options;
    const { directory: stateDirectory } = this.#state;
    const dataDirectory = persist ? join(this.#data.directory, 'dynamodb') : undefined;
    this.#progress.step('Building the functions and starting DynamoDB Local, together about 15 seconds');
    // The functions are built while Java starts.
    const starting = startDynamoDb({ port: ports.dynamodb, dataDirectory, maximumHeapMb: 1_536 });
    this.#stoppers.add(async () => (await starting.catch(() => undefined))?.stop());
    const building = this.#options.assembly ?? synthesize({ stateDirectory, dashboard, signal: this.#abort.signal });
    const [dynamodb, assembly] = await Promise.all([starting, building]);
    void dynamodb.ended.then(() =>
      onLost('DynamoDB Local has ended, perhaps without memory: start the platform again'),
    );
    const isLost = () => onLost('DynamoDB Local does not answer any more: start the platform again');
    this.#stoppers.add(watch(dynamodb.endpoint, isLost));

    this.#progress.step('Starting hosts, queues and functions');
    const platform = await startPlatform({ assembly, stateDirectory, ports, persist, dynamodb, sites: dashboard });
    this.#stoppers.add(() => platform.stop());
    return platform;
  }

  #print(content: PlatformFile, { logs }: Platform): void {
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(1);
    const text = buildBanner(content, { file: this.#state.platformFile, logs, seconds, keptIn: this.#keptIn });
    this.#progress.end();
    console.log(this.#options.json ? JSON.stringify(content) : text);
  }

  /** The folder that keeps tables and queues after the end; undefined when they are in memory only. */
  get #keptIn(): string | undefined {
    return this.#options.persist ? this.#data.directory : undefined;
  }

  /** Prints which data the platform leaves on the machine after its end. */
  printEnd(): void {
    if (!this.#options.json) console.log(buildFarewell(this.#keptIn));
  }

  /** Stops everything that was started, even if the start is not complete. */
  async stop(): Promise<void> {
    this.#progress.end();
    this.#abort.abort();
    await this.#stoppers.stop();
  }
  /** Releases the state folder at once. The processes that were started end with this process. */
  abandon(): void {
    this.#progress.end();
    this.#state.unlock();
  }
}

/** A person of the demonstration, as the page of the sign-in shows the person. */
const toUser = ({ name, email, roles, organisation }: Person): NewUser => ({
  name,
  email,
  part: `${roles.join(' and ')} of ${organisation}`,
});
