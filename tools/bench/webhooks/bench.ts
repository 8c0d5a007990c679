import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { webhookPromise } from '../../../shared/contracts/promises.ts';
import { Stoppers } from '../../local/stoppers.ts';
import { atLeast, atMost, type Bench, type PromiseRow } from '../bench.ts';
import { save, table } from '../report.ts';
import { type Receivers, startReceivers } from './fleet.ts';
import { type BenchOptions, readOptions, rowOf, type Scenario, type ScenarioResult } from './scenario.ts';
import { deadForAnHour } from './scenarios/dead-hour.ts';
import { neighbours } from './scenarios/neighbours.ts';
import { oneToOne } from './scenarios/one.ts';
import { loadSender, type NamedSender } from './sender.ts';
import { createCeiling } from './senders/ceiling.ts';

/*
 * Every sender delivers to the same receivers, which are one process. The publisher keeps to the clock, whatever the
 * sender does, and a latency runs from the time at which the event was due. The id of an event contains its number, so
 * what arrives can be joined with what was published.
 */

const scenarios: readonly Scenario[] = [oneToOne, neighbours, deadForAnHour];

/** `npm run bench webhooks`: speed and losses of webhook senders, compared with bare Node that only signs and posts. */
export const bench: Bench = {
  name: 'webhooks',
  about: 'speed and losses of webhook deliveries, beside bare Node',
  async run({ quick, args }) {
    const options = readOptions(args, quick);
    const chosen = chooseScenarios(options.scenarios);
    const machine = { node: process.version, cores: availableParallelism(), others: loadavg()[0] ?? 0 };
    console.log(`node ${machine.node}, ${machine.cores} cores, load of others ${machine.others.toFixed(1)}`);
    const senders = await Promise.all(options.senders.map(loadSender));
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
    await save('webhooks', { machine, options, measured });
    return promisesOf(measured);
  },
};

/** @throws RangeError for an unknown name */
function chooseScenarios(names: readonly string[]): readonly Scenario[] {
  const unknown = names.find((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown === undefined) return scenarios.filter(({ name }) => names.length === 0 || names.includes(name));
  const known = scenarios.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`).join('\n');
  throw new RangeError(`there is no scenario ${unknown}; choose one of:\n${known}`);
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
    const result = await scenario.run({ ...options, name, sender, ceiling, receivers });
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

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const inTimes = (ratio: number): string => `${ratio.toFixed(2)} times`;

/** The promises about the engine. Other senders are measured for comparison. */
export function promisesOf(measured: readonly MeasuredScenario[]): PromiseRow[] {
  return measured.filter(({ sender }) => sender === 'engine').flatMap(rowsOf);
}

function rowsOf({ scenario, measures }: MeasuredScenario): PromiseRow[] {
  const { perSecond, ceilingShare, healthyRatio, requestsToDead, lost, wrongSignatures } = measures;
  const promised = webhookPromise;
  const rows = [
    when(perSecond, (figure) =>
      atLeast('deliveries a second', { figure, promised: promised.deliveriesPerSecond, inWords: rounded }),
    ),
    when(ceilingShare, (figure) =>
      atLeast("share of bare Node's", { figure, promised: promised.ceilingShare, inWords: percent }),
    ),
    when(healthyRatio, (figure) =>
      atMost('p99 of the healthy', { figure, promised: promised.healthyRatio, inWords: inTimes }),
    ),
    when(requestsToDead, (figure) => atMost('requests to the dead', { figure, promised: promised.requestsToDead })),
    when(lost, (figure) => atMost('lost', { figure, promised: promised.lost })),
    when(wrongSignatures, (figure) => atMost('wrong signatures', { figure, promised: 0 })),
  ];
  return rows.flat().map((row) => ({ ...row, promise: `${scenario}: ${row.promise}` }));
}

const rounded = (figure: number): string => String(Math.round(figure));

/** Makes the row of a figure, if the scenario measured it. */
const when = (figure: number | undefined, toRow: (figure: number) => PromiseRow): PromiseRow[] =>
  figure === undefined ? [] : [toRow(figure)];
