import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { contract as reportContract } from '../../functions/base/report-from-program/contract.ts';
import { handler as reportFromProgram } from '../../functions/base/report-from-program/handler.ts';
import { handler as releaseExpired } from '../../functions/consumers/release-expired/handler.ts';
import { handler as retryPostings } from '../../functions/consumers/retry-postings/handler.ts';
import { minuteMs, validityMs } from '../../shared/contracts/limits.ts';
import { isPartition, partitions } from '../../shared/contracts/table.ts';
import { endReviews, listHeld } from '../../shared/operations/ledger/review-held.ts';
import { retryTransactions } from '../../shared/operations/organisation/manage-program.ts';
import { composePlatform, type Platform } from '../../shared/runtime/platform.ts';
import { logger, openDocuments, readConfig } from '../../shared/runtime/runtime.ts';
import { minuteOf } from '../../shared/store/award/claims.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import { scan } from '../../tools/admin/reconcile/read-books.ts';
import { type Answer, call } from '../support/call.ts';
import { setEnvironment } from '../support/environment.ts';
import { actions, chooseFocus, type Focus } from './actions.ts';
import { type Checked, checkEnd } from './checks.ts';
import { Deliveries } from './deliveries.ts';
import { type FaultKind, Faults } from './faults.ts';
import { continueSale, sell } from './payments.ts';
import { PartnerProgram } from './programs.ts';
import { calm, Random, type Temper, tempers } from './random.ts';
import { copyInto, makeScene, type Scene, type SceneItems, withNewSecrets } from './scene.ts';
import { type Ending, presentInvocation, Simulation, Surroundings } from './simulation.ts';
import { type Attempt, Story } from './story.ts';
import type { SoakTable } from './tables.ts';
import { Watch } from './watch.ts';

/** The time at which every history begins: the evening before New York changes to daylight saving time. */
const beginning = new Date('2026-03-07T21:00:00.000Z');
const sceneSeed = 1;
const allPartitions = Object.keys(partitions).filter(isPartition);

/** How one history went. */
export interface Report {
  readonly seed: number;
  readonly violations: readonly string[];
  /** The number of requests of clients, including repeated ones. */
  readonly operations: number;
  readonly deliveries: number;
  readonly calls: number;
  readonly deaths: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** How many items of each kind and state exist at the end. */
  readonly reached: ReadonlyMap<string, number>;
  /** Every step, in the order in which the steps happened. */
  readonly trace: readonly string[];
}

/** The number of client requests in one history, by default. Requests that follow from them at the end are not counted. */
const operationsOfHistory = 140;

/** The scene and the table in which all histories are played. */
export class Soak {
  readonly #table: SoakTable;
  readonly #client: DynamoDBClient;
  readonly #documents: DynamoDBDocumentClient;
  readonly #surroundings: Surroundings;
  readonly #program: PartnerProgram;
  #platform: Platform | undefined;
  #model: SceneItems | undefined;
  #deliveries: Deliveries | undefined;

  constructor(table: SoakTable) {
    setEnvironment(table);
    const unused = 'http://127.0.0.1:9';
    Object.assign(process.env, { BUS_NAME: 'soak', QUEUE_URL_PROGRAM: unused, DEAD_LETTER_URL: unused });
    this.#table = table;
    this.#program = new PartnerProgram();
    this.#client = new DynamoDBClient({});
    this.#documents = openDocuments(this.#client);
    this.#surroundings = new Surroundings({
      random: new Random(sceneSeed),
      startsAt: beginning,
      publish: (input) => this.#deliveries?.publish(input) ?? {},
      send: (input) => this.#deliveries?.send(input) ?? {},
      carryOut: table.carryOut,
    });
  }

  /** Restores time, randomness and clients. */
  async stop(): Promise<void> {
    this.#surroundings.restore();
    await this.#program.stop();
    this.#client.destroy();
    this.#table.stop();
  }

  /** Plays one history, and checks it. */
  async run(seed: number, operations = operationsOfHistory): Promise<Report> {
    const random = new Random(seed);
    let history: History | undefined;
    await this.#program.reset(random.fork(), () => history?.isUnreliable ?? false);
    const { scene, platform } = await this.#prepare(random.fork());
    this.#surroundings.reset(random.fork(), beginning);
    history = new History({
      ...{ random, scene, platform, surroundings: this.#surroundings, table: this.#table, documents: this.#documents },
      program: this.#program,
      operationsInAll: operations,
    });
    this.#deliveries = history.deliveries;
    await history.play();
    return { seed, ...history.report() };
  }

  /**
   * Restores the table to the scene, with new secrets. With the old secrets, a history would depend on the previous
   * history, because functions keep credentials in memory.
   */
  async #prepare(random: Random): Promise<{ readonly scene: Scene; readonly platform: Platform }> {
    this.#platform ??= composePlatform(readConfig(process.env));
    this.#model ??= await this.#makeModel(this.#platform);
    const { scene, items } = withNewSecrets(this.#model, random, this.#program.url);
    await this.#table.reset();
    await copyInto(this.#documents, this.#table.name, items);
    const accounts = scene.members.flatMap(({ externalId, opening, programs }) =>
      programs.includes(scene.ownProgramOf) ? [{ member_id: externalId, balance: opening }] : [],
    );
    await this.#program.control.open(...accounts);
    return { scene, platform: this.#platform };
  }

  async #makeModel(platform: Platform): Promise<SceneItems> {
    await this.#table.reset();
    const scene = await makeScene(platform);
    const items: Item[] = [];
    const table = { name: this.#table.name, documents: this.#documents };
    for await (const item of scan(table, allPartitions)) items.push(item);
    return { scene, items };
  }
}

interface HistoryParts {
  readonly random: Random;
  readonly scene: Scene;
  readonly platform: Platform;
  readonly surroundings: Surroundings;
  readonly table: SoakTable;
  readonly documents: DynamoDBDocumentClient;
  readonly program: PartnerProgram;
  readonly operationsInAll: number;
}

/** All clients and consumers must be done within this many rounds after the last fault. */
const mostRounds = 1_000;
const endpointTimeoutMs = 10_000;
/** Calls continue to fail for this many steps after the last request. */
const mostStepsAfterwards = 2_500;
/** After this time, even the token of the last request has expired. */
const restMs = validityMs.transactionToken + 2 * minuteMs;

/** One history: requests, deliveries, faults and the passing of time, in an order that its seed decides. */
class History {
  readonly #parts: HistoryParts;
  readonly #story = new Story();
  readonly #temper: Temper;
  readonly #faults: Faults;
  readonly #simulation: Simulation;
  readonly #watch: Watch;
  readonly #trace: string[] = [];
  readonly deliveries: Deliveries;
  #clients = 0;
  #operations = 0;
  #sentAt = 0;
  #sweptAt = 0;
  /** The number of schedules that run at the moment. */
  #sweeping = 0;
  #quietRounds = 0;
  #hasComparedBalances = false;
  #reached: ReadonlyMap<string, number> = new Map();
  #focus: Focus = {};

  constructor(parts: HistoryParts) {
    const { random, table, scene } = parts;
    this.#parts = parts;
    this.#temper = random.pick(tempers) ?? calm;
    this.#faults = new Faults(random);
    const trace = (line: string) => void this.#trace.push(`${new Date().toISOString()} ${line}`);
    this.#simulation = new Simulation({ random, decide: this.#faults.decide, trace, ...this.#temper });
    this.#watch = new Watch(scene, (what) => this.#violated(what));
    this.deliveries = new Deliveries({
      ...{ random, table, trace, simulation: this.#simulation, temper: this.#temper },
      isUnreliable: () => this.#faults.isOn,
      watch: (record) => this.#watch.see(record),
    });
    logger().error = (message, ...more) => {
      const name = presentInvocation()?.name ?? '';
      const error = Object(more[0]).error;
      trace(`${presentInvocation()?.id} ${name} logs ${String(message)}: ${String(error)}`);
      this.deliveries.failures.set(name, error);
    };
  }

  /** Whether calls, messages and programs fail on purpose at the moment. */
  get isUnreliable(): boolean {
    return this.#faults.isOn;
  }

  #violated(what: string): void {
    this.#trace.push(`${new Date().toISOString()} VIOLATION ${what}`);
    this.#story.violated(what);
  }

  report(): Omit<Report, 'seed'> {
    return {
      violations: this.#story.violations,
      operations: this.#operations,
      deliveries: this.deliveries.count,
      calls: this.#simulation.calls,
      deaths: this.#simulation.deaths,
      faults: this.#faults.counts,
      reached: this.#reached,
      trace: this.#trace,
    };
  }

  async play(): Promise<void> {
    while (this.#operations < this.#parts.operationsInAll) await this.#step();
    for (let step = 0; step < mostStepsAfterwards && this.#isActive; step += 1) await this.#step();
    this.#faults.isOn = false;
    await this.#comeToRest();
    const { scene, platform, documents } = this.#parts;
    const table = { name: this.#parts.table.name, documents };
    const programBooks = await this.#parts.program.control.books();
    const { everSuspended } = this.#watch;
    const parts = { scene, platform, table, story: this.#story, programBooks, everSuspended };
    const { found, reached } = await checkEnd(parts).catch(unreadable);
    for (const what of found) this.#violated(what);
    for (const body of this.deliveries.rejected) this.#violated(`a message was rejected: ${body}`);
    this.#reached = new Map([...reached, ['was suspended', everSuspended.size]]);
  }

  /** Whether something can happen now without a new request. */
  get #isActive(): boolean {
    return this.#simulation.running > 0 || this.deliveries.isReady;
  }

  /** Does one of the things that may happen next. */
  async #step(): Promise<void> {
    const { random } = this.#parts;
    const { running } = this.#simulation;
    const isOver = this.#operations >= this.#parts.operationsInAll;
    const isFree = running < this.#temper.invocationsAtOnce;
    const choice = random.weighted([
      [running > 0 ? 14 : 0, 'continue'],
      [isFree && !isOver && this.#clients < this.#temper.clientsAtOnce ? 2 : 0, 'request'],
      [isFree && this.deliveries.isReady ? 3 : 0, 'deliver'],
      [2, 'read the stream'],
      [isOver ? 0.1 : 1, 'payment'],
      [0.4, 'program'],
      [isFree && this.#sweeping === 0 ? 0.15 : 0, 'sweep'],
      [1, 'tick'],
      [this.#parts.program.isDown ? 0.5 : 0.06, 'leap'],
    ]);
    switch (choice) {
      case 'continue':
        return this.#simulation.step();
      case 'request':
        return this.#request();
      case 'deliver':
        return this.deliveries.deliver();
      case 'read the stream':
        return this.deliveries.readStream();
      case 'payment':
        return this.#payment();
      case 'program':
        return this.#programActs();
      case 'sweep':
        return this.#sweep();
      case 'tick':
        return this.#passTime(random.between(1, 400));
      case 'leap':
        return this.#leap();
    }
  }

  async #passTime(milliseconds: number): Promise<void> {
    this.#parts.surroundings.passTime(milliseconds);
  }

  /** Lets minutes or more pass. All invocations end first, because none lives that long. */
  async #leap(): Promise<void> {
    const { random } = this.#parts;
    while (this.#simulation.running > 0) await this.#simulation.step();
    const minutes = random.weighted([
      [6, random.between(1, 6)],
      [6, random.between(8, 15)],
      [this.#parts.program.isDown ? 8 : 1, random.between(60, 3_000)],
    ]);
    if (minutes === undefined) return;
    if (minutes > 15) return this.#leapFar(minutes);
    await this.#passTime(minutes * minuteMs);
    this.#trace.push(`${minutes} minutes pass`);
  }

  /**
   * Lets hours or days pass in one step. All tokens expire before this step. So the sweeps of the minutes that it skips
   * would find nothing, and are left out.
   */
  async #leapFar(minutes: number): Promise<void> {
    await this.#passTime(validityMs.transactionToken + minuteMs);
    await this.#sweep();
    await this.#finishInvocations();
    if (this.#watch.issued.size > 0) return;
    await this.#passTime(minutes * minuteMs);
    await this.#parts.platform.sequences.setSweptTo('release-expired', minuteOf(new Date().toISOString()));
    this.#trace.push(`${minutes} minutes pass`);
  }

  async #request(): Promise<void> {
    const { random, scene } = this.#parts;
    const context = { random, scene, story: this.#story };
    if (random.chance(this.#temper.changeShare)) this.#focus = chooseFocus(context);
    const action = random.weighted(actions.map((one) => [one.weight, one]));
    const burst = random.chance(this.#temper.burstShare) ? random.between(2, 4) : 1;
    for (let sent = 0; sent < burst; sent += 1) {
      const attempt = action?.prepare({ ...context, focus: this.#focus, temper: this.#temper });
      if (attempt) await this.#send(attempt);
      if (attempt?.isRepeatable && random.chance(0.08)) await this.#send(attempt);
    }
  }

  /** A payment platform reports something. */
  async #payment(): Promise<void> {
    const { random, scene } = this.#parts;
    const tell = (envelope: object) => this.deliveries.deliverToBus(envelope);
    const context = { random, scene, story: this.#story, tell };
    const isOver = this.#operations >= this.#parts.operationsInAll;
    const done = !isOver && random.chance(0.45) ? sell(context) : continueSale(context);
    if (done === undefined) return;
    this.#operations += 1;
    this.#note(done);
  }

  /** The partner's own program answers an accepted transaction, or moves points without the platform. */
  async #programActs(): Promise<void> {
    const { random, program, scene } = this.#parts;
    if (random.chance(0.6)) return this.#programAnswers(await program.accepted());
    if (random.chance(0.05)) return this.#operatorRetries();
    if (random.chance(0.1)) return this.#operatorReleases();
    if (random.chance(program.isDown ? 0.3 : 0.08)) {
      program.isDown = !program.isDown;
      return this.#note(`the program ${program.isDown ? 'fails' : 'works again'}`);
    }
    const member = random.pick(scene.members.filter(({ programs }) => programs.includes(scene.ownProgramOf)));
    if (!member || random.chance(0.7)) return;
    const { externalId } = member;
    const points = random.between(1, 30);
    await program.control.move(externalId, points);
    this.#story.moved.set(externalId, points + (this.#story.moved.get(externalId) ?? 0));
    this.#note(`${points} points move at the program of ${externalId}`);
    if (random.chance(0.8)) this.#story.next.push(this.#report('balance.changed', { member_id: externalId }));
  }

  async #programAnswers(accepted: readonly string[]): Promise<void> {
    const { random, program } = this.#parts;
    const uuid = random.pick(accepted);
    if (uuid === undefined) return;
    const status = random.chance(0.85) ? 'confirmed' : 'rejected';
    await program.control.answer(uuid, status);
    this.#note(`the program has ${status} ${uuid}`);
    if (random.chance(0.7)) this.#story.next.push(this.#report('transaction.answered', { transaction_uuid: uuid }));
  }

  /** A report of the program. Each sending signs it anew. */
  #report(type: string, data: object): Attempt {
    const { program, scene } = this.#parts;
    const id = this.#story.newName('report');
    return {
      name: `${id}: ${type} ${JSON.stringify(data)}`,
      handler: reportFromProgram,
      contract: reportContract,
      get request() {
        return { params: { partner_id: String(scene.ownProgramOf) }, ...program.sign(id, { type, data }) };
      },
      expected: [200],
      isRepeatable: true,
      answered: () => undefined,
    };
  }

  /** An operator resumes the transactions in ERROR. */
  async #operatorRetries(): Promise<void> {
    this.#quietRounds += 1;
    const { platform, scene } = this.#parts;
    await this.#simulation.start({
      name: 'admin program retry',
      timeoutMs: minuteMs,
      run: () => retryTransactions(String(scene.ownProgramOf), undefined, platform),
      ended: () => undefined,
    });
  }

  /** An operator releases the rewards that are held for review. */
  async #operatorReleases(): Promise<void> {
    this.#quietRounds += 1;
    const { platform } = this.#parts;
    await this.#simulation.start({
      name: 'admin transaction release',
      timeoutMs: minuteMs,
      run: async () => {
        const rows = (await listHeld({}, platform)).map(({ id }, line) => ({ line, row: String(id) }));
        await endReviews(rows, { outcome: 'RELEASED', reason: 'looked at it' }, platform);
      },
      ended: () => undefined,
    });
  }

  #note(line: string): void {
    this.#trace.push(`${new Date().toISOString()} ${line}`);
  }

  async #send(attempt: Attempt): Promise<void> {
    const { name, handler, contract, request } = attempt;
    if (!this.#story.isTimely(attempt)) return;
    this.#operations += 1;
    this.#sentAt = Date.now();
    this.#clients += 1;
    attempt.sent?.();
    await this.#simulation.start<Answer>({
      name,
      timeoutMs: endpointTimeoutMs,
      run: () => call(handler, contract, request),
      ended: (ending, faults) => {
        this.#clients -= 1;
        this.#receive(attempt, ending, faults > 0);
      },
    });
  }

  #receive(attempt: Attempt, ending: Ending<Answer>, hadFaults: boolean): void {
    const { name, expected, isRepeatable, answered } = attempt;
    // API Gateway answers 502 when a function fails.
    if (ending.kind === 'failed' && !hadFaults) this.#violated(`${name}: ${String(ending.error)}`);
    const answer = ending.kind === 'returned' ? ending.result : undefined;
    if (!answer || isNoAnswer(answer)) {
      if (answer && answer.status >= 500 && !hadFaults) {
        this.#violated(`${name}: ${answer.status} without any fault: ${JSON.stringify(answer.body)}`);
      }
      if (isRepeatable) this.#story.unanswered.push(attempt);
      return;
    }
    const { request_id: _, ...body } = Object(answer.body);
    this.#trace.push(`${name} is answered ${answer.status} ${JSON.stringify(body)}`);
    if (!expected.includes(answer.status)) {
      this.#violated(`${name}: answered ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    if (expected.includes(answer.status)) {
      this.#story.checkRepeated(attempt, answer);
      answered(answer);
    }
    if (isRepeatable && !this.#story.answered.includes(attempt)) this.#story.answered.push(attempt);
  }

  /** Runs the schedules of every minute. A run may overlap the next run of its schedule only briefly. */
  async #sweep(): Promise<void> {
    if (Date.now() - this.#sweptAt < minuteMs) return;
    this.#sweptAt = Date.now();
    for (const [name, run] of Object.entries(schedules)) {
      this.#sweeping += 1;
      const ended = () => {
        this.#sweeping -= 1;
      };
      await this.#simulation.start({ name, timeoutMs: minuteMs, run, ended });
    }
  }

  /** Clients repeat unanswered requests, messages are delivered and tokens expire, until no work is left. */
  async #comeToRest(): Promise<void> {
    for (let round = 0; round < mostRounds; round += 1) {
      await this.#finishInvocations();
      const todo = this.#nextTask();
      if (!todo) return;
      await todo();
    }
    for (const waiting of this.deliveries.waiting) this.#violated(`a message is never done: ${waiting}`);
    for (const [name, error] of this.deliveries.failures) this.#violated(`the last error of ${name}: ${String(error)}`);
    this.#violated('the history does not come to rest');
  }

  /** The most urgent work that is left, or undefined when none is. */
  #nextTask(): (() => Promise<void>) | undefined {
    const next = this.#story.next.shift();
    if (next) return () => this.#send(next);
    const unanswered = this.#story.unanswered.shift();
    if (unanswered) return () => this.#sendAtLast(unanswered);
    if (this.deliveries.isReady) return () => this.deliveries.deliver();
    if (this.deliveries.isBusy) return () => this.#waitForMessage();
    const { issued, pending, suspended, held } = this.#watch;
    if (pending.size > 0 && this.#quietRounds % 8 === 7) return () => this.#answerAll();
    if (suspended.size > 0 && this.#quietRounds % 8 === 3) return () => this.#operatorRetries();
    if (held.size > 0 && this.#quietRounds % 8 === 5) return () => this.#operatorReleases();
    const isResting =
      issued.size + pending.size + suspended.size + held.size === 0 && Date.now() - this.#sentAt >= restMs;
    if (!isResting) return () => this.#waitForSweep();
    if (this.#hasComparedBalances) return undefined;
    this.#hasComparedBalances = true;
    return () => this.#reportBalances();
  }

  /** The program answers everything that it has accepted. */
  async #answerAll(): Promise<void> {
    this.#quietRounds += 1;
    for (const uuid of await this.#parts.program.accepted()) await this.#programAnswers([uuid]);
  }

  /** The program reports the balances of all accounts, so the right ones arrive in the end. */
  async #reportBalances(): Promise<void> {
    const { scene } = this.#parts;
    for (const { externalId, programs } of scene.members) {
      if (!programs.includes(scene.ownProgramOf)) continue;
      this.#story.next.push(this.#report('balance.changed', { member_id: externalId }));
    }
  }

  /** Repeats a request after a short wait, because the first request may still hold the idempotency key. */
  async #sendAtLast(attempt: Attempt): Promise<void> {
    await this.#passTime(minuteMs / 4);
    await this.#send(attempt);
  }

  async #finishInvocations(): Promise<void> {
    while (this.#simulation.running > 0) await this.#simulation.step();
    await this.deliveries.readStream();
  }

  async #waitForMessage(): Promise<void> {
    const waitMs = (this.deliveries.nextAt ?? 0) - Date.now();
    if (waitMs > 0) await this.#passTime(waitMs);
    await this.#sweep();
  }

  async #waitForSweep(): Promise<void> {
    this.#quietRounds += 1;
    await this.#passTime(minuteMs * (this.#quietRounds < 8 ? 4 : 20));
    await this.#sweep();
  }
}

/** Reports a table that cannot be parsed: a correct platform never writes such a table. */
const unreadable = (error: unknown): Checked => ({
  found: [`the table cannot be read: ${String(error).replaceAll(/\s+/g, ' ')}`],
  reached: new Map(),
});

const schedules = { 'release-expired': releaseExpired, 'retry-postings': retryPostings };

/**
 * True for a failure of the platform, and for a request that is still running elsewhere. The client repeats the request
 * later.
 */
const isNoAnswer = ({ status, body }: Answer) =>
  status >= 500 || status === 429 || [Object(body).error, Object(body).code].includes('request_in_progress');
