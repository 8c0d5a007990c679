import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { webhookPromise } from '../../../shared/contracts/promises.ts';
import { Stoppers } from '../../local/stoppers.ts';
import { conclude, save, table } from '../report.ts';
import { type Receivers, startReceivers } from './fleet.ts';
import { type BenchOptions, readOptions, rowOf, type Scenario, type ScenarioResult } from './scenario.ts';
import { oneToMany, oneToOne } from './scenarios/fan-out.ts';
import { classes, neighbours } from './scenarios/neighbours.ts';
import { deadForAnHour, killed } from './scenarios/outages.ts';
import { loadSender, type NamedSender } from './sender.ts';
import { createCeiling } from './senders/ceiling.ts';

/*
 * Every sender delivers to the same receivers, which are one process. The publisher keeps to the clock, whatever the
 * sender does, and a latency runs from the time at which the event was due. The id of an event contains its number, so
 * what arrives can be joined with what was published.
 */

const scenarios: readonly Scenario[] = [oneToOne, oneToMany, neighbours, classes, deadForAnHour, killed];

/** `npm run bench webhooks`: speed and losses of webhook senders, compared with bare Node that only signs and posts. */
export async function benchWebhooks(): Promise<void> {
  const options = readOptions(process.argv.slice(3));
  const chosen = chooseScenarios(options.scenarios);
  const machine = { node: process.version, cores: availableParallelism(), others: loadavg()[0] ?? 0 };
  console.log(`node ${machine.node}, ${machine.cores} cores, load of others ${machine.others.toFixed(1)}`);
  const senders = await loadSenders(options);
  const receivers = startReceivers();
  const directory = await mkdtemp(join(tmpdir(), 'bench-webhooks-'));
  const measured: MeasuredScenario[] = [];
  try {
    for (const scenario of chosen)
      measured.push(...(await measureAll(scenario, senders, { receivers, directory, options })));
  } finally {
    await receivers.stop();
    await rm(directory, { recursive: true, force: true });
  }
  console.log(`\n${promisesText()}`);
  await save('webhooks', { machine, options, measured });
  conclude(brokenPromises(measured));
}

/** @throws RangeError for an unknown name */
function chooseScenarios(names: readonly string[]): readonly Scenario[] {
  const unknown = names.find((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown === undefined) return scenarios.filter(({ name }) => names.length === 0 || names.includes(name));
  const known = scenarios.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`).join('\n');
  throw new RangeError(`there is no scenario ${unknown}; choose one of:\n${known}`);
}

async function loadSenders({ senders }: BenchOptions): Promise<NamedSender[]> {
  const loaded = await Promise.all(senders.map(loadSender));
  for (const { name, sender } of loaded)
    if (sender.unavailable) console.log(`${name} is skipped: ${sender.unavailable}`);
  return loaded.filter(({ sender }) => !sender.unavailable);
}

interface Shared {
  readonly receivers: Receivers;
  /** The folder for the files of all senders. */
  readonly directory: string;
  readonly options: BenchOptions;
}

/** Measures each sender in one scenario, and prints the table. */
async function measureAll(
  scenario: Scenario,
  senders: readonly NamedSender[],
  shared: Shared,
): Promise<MeasuredScenario[]> {
  console.log(`\n${scenario.name}: ${scenario.about}\n`);
  const { needs } = scenario;
  const able = senders.filter(({ sender }) => needs === undefined || sender[needs] !== undefined);
  const measured: MeasuredScenario[] = [];
  for (const named of able) measured.push(await measure(scenario, named, shared));
  if (measured.length > 0) console.log(table(measured.flatMap(({ lines }) => lines.map(rowOf))));
  for (const note of measured.flatMap(({ notes }) => notes)) console.log(note);
  for (const { name } of senders.filter((one) => !able.includes(one))) {
    console.log(`${name} is skipped: its adapter has no ${needs}()`);
  }
  return measured;
}

async function measure(
  scenario: Scenario,
  { name, sender }: NamedSender,
  { receivers, directory, options }: Shared,
): Promise<MeasuredScenario> {
  const stoppers = new Stoppers();
  const folder = join(directory, `${scenario.name}-${name.replaceAll(/\W+/g, '-')}`);
  await mkdir(folder, { recursive: true });
  try {
    const ceiling = createCeiling();
    stoppers.add(() => receivers.call('closeAll'));
    stoppers.add(() => ceiling.stop());
    await ceiling.start({ directory: folder });
    stoppers.add(() => sender.stop());
    await sender.start({ directory: folder, concurrency: options.concurrency });
    const rate = Math.min(options.rate, sender.maximumRate ?? options.rate);
    const result = await scenario.run({ ...options, rate, name, sender, ceiling, receivers });
    return { scenario: scenario.name, sender: name, ...result };
  } finally {
    await stoppers.stop();
  }
}

/** The result of one sender in one scenario. */
export interface MeasuredScenario extends ScenarioResult {
  readonly scenario: string;
  readonly sender: string;
}

/** The senders that the promises are about. Other senders are measured for comparison. */
const promisedSenders = ['engine', 'platform'];

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** The promises in words. */
function promisesText(): string {
  const { deliveriesPerSecond, ceilingShare, healthyRatio, requestsToDead, lost } = webhookPromise;
  return (
    `promised: the engine delivers >= ${deliveriesPerSecond} a second and >= ${percent(ceilingShare)} of bare Node; ` +
    `p99 of the healthy <= ${healthyRatio} times; <= ${requestsToDead} requests to the dead; lost ${lost}`
  );
}

/** The broken promises of all results, as sentences. */
export function brokenPromises(measured: readonly MeasuredScenario[]): string[] {
  const plain = measured.find(({ sender, measures }) => sender === 'plain' && measures.perSecond !== undefined);
  const plainPerSecond = plain && Math.round(plain.measures.perSecond ?? 0);
  return measured
    .filter(({ sender }) => promisedSenders.includes(sender))
    .flatMap((result) => {
      const broken = [...brokenByAny(result), ...brokenByEngine(result, plainPerSecond)];
      return broken.map((text) => `${result.scenario}, ${result.sender}: ${text}`);
    });
}

function brokenByAny({
  measures: { healthyRatio, requestsToDead, lost, wrongSignatures },
}: MeasuredScenario): string[] {
  return [
    exceeds(healthyRatio, webhookPromise.healthyRatio) && `p99 of the healthy ${healthyRatio?.toFixed(2)} times`,
    exceeds(requestsToDead, webhookPromise.requestsToDead) && `${requestsToDead} requests to the dead`,
    exceeds(lost, webhookPromise.lost) && `${lost} lost`,
    exceeds(wrongSignatures, 0) && `${wrongSignatures} wrong signatures`,
  ].filter((text) => typeof text === 'string');
}

/**
 * The promises of speed are about the engine alone, because the whole local platform shares its processors with
 * emulators.
 */
function brokenByEngine({ sender, measures }: MeasuredScenario, plainPerSecond: number | undefined): string[] {
  const { perSecond, ceilingShare } = measures;
  if (sender !== 'engine' || perSecond === undefined || ceilingShare === undefined) return [];
  return [
    perSecond < webhookPromise.deliveriesPerSecond && `${Math.round(perSecond)} deliveries a second`,
    ceilingShare < webhookPromise.ceilingShare && `${percent(ceilingShare)} of bare Node`,
    exceeds(plainPerSecond, perSecond) && `slower than the plain sender, ${plainPerSecond} a second`,
  ].filter((text) => typeof text === 'string');
}

const exceeds = (value: number | undefined, most: number): boolean => value !== undefined && value > most;
