import { availableParallelism } from 'node:os';
import { enginePromise } from '../promises.ts';
import { conclude, type Row, save, table } from '../report.ts';
import { median } from '../startup/median.ts';
import { compareEngines, ourPoints } from './compare.ts';
import { Peer } from './peer.ts';
import { peerFactsOf } from './peer-facts.ts';
import { makeWorkload, type Workload } from './workload.ts';

const numberOf = { campaigns: 50, occasions: 10_000 };
/** Of the occasions, how many a round takes: the peer would be at all of them for minutes. */
const timedOccasions = 400;
const rounds = 11;

/** Seconds that the same evaluations took in one round. */
interface Round {
  readonly ours: number;
  readonly peers: number;
}

/** `npm run bench engine`: evaluations per second, beside json-rules-engine on the same campaigns and facts. */
export async function benchEngine(): Promise<void> {
  const workload = makeWorkload(numberOf);
  const { compared, awarded, differences } = await compareEngines(workload);
  console.log(`${compared} evaluations compared, ${awarded} award points, ${differences.length} differ`);

  const evaluations = numberOf.campaigns * timedOccasions;
  const measured = await measure(workload);
  const machine = { node: process.version, cores: availableParallelism(), rounds, evaluationsPerRound: evaluations };
  console.log(
    `node ${machine.node}, ${machine.cores} cores, medians of ${rounds} rounds of ${evaluations} evaluations\n`,
  );
  const ours = evaluations / median(measured.map((round) => round.ours));
  const peers = evaluations / median(measured.map((round) => round.peers));
  // Of the pairs, not of the medians: what slows the machine down slows down both of a pair.
  const ratio = median(measured.map((round) => round.peers / round.ours));
  console.log(table([rowOf('ours', ours, ratio), rowOf('json-rules-engine 7.3.1', peers, 1)]));
  console.log(`\npromised: the same points, and >= ${enginePromise.timesAsFast} times as fast`);

  await save('engine', { machine, compared, awarded, differences: differences.slice(0, 10), ours, peers, ratio });
  conclude([
    ...(differences.length === 0 ? [] : [`${differences.length} evaluations differ`]),
    ...(ratio >= enginePromise.timesAsFast ? [] : [`${ratio.toFixed(1)} times, promised ${enginePromise.timesAsFast}`]),
  ]);
}

/**
 * Times both in turn, each round by occasions that it has for itself. One round goes before them, for the
 * compiler, and nobody is always the first.
 */
async function measure({ campaigns, occasions }: Workload): Promise<Round[]> {
  const peer = new Peer(campaigns);
  const measured: Round[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const timed = occasions.slice(round * timedOccasions, (round + 1) * timedOccasions);
    const peerFacts = timed.map((occasion) => peerFactsOf(occasion, campaigns));
    const runOurs = () => {
      for (const occasion of timed) for (const campaign of campaigns) ourPoints(campaign, occasion);
    };
    const runPeer = async () => {
      for (const facts of peerFacts) await peer.evaluate(facts);
    };
    const early = round % 2 === 0 ? await secondsOf(runOurs) : undefined;
    const peers = await secondsOf(runPeer);
    measured.push({ ours: early ?? (await secondsOf(runOurs)), peers });
  }
  return measured.slice(1);
}

async function secondsOf(run: () => void | Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return (performance.now() - startedAt) / 1_000;
}

function rowOf(engine: string, perSecond: number, ratio: number): Row {
  return {
    engine,
    'evaluations/s': Math.round(perSecond),
    'µs each': (1e6 / perSecond).toFixed(2).padStart(8),
    'times as fast': ratio.toFixed(1).padStart(13),
  };
}
