import { availableParallelism } from 'node:os';
import { enginePromise } from '../../../shared/contracts/promises.ts';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { atLeast, atMost, type Bench } from '../bench.ts';
import { median, type Row, save, table } from '../report.ts';
import { Peer, peerFactsOf } from './peer.ts';
import { type EvaluationCase, makeWorkload, type Workload } from './workload.ts';

/** The size of a run. */
interface Size {
  readonly campaigns: number;
  /** The cases for which the points of both engines are compared. */
  readonly cases: number;
  /** The number of cases in one round: json-rules-engine would need minutes for all of them. */
  readonly timedCases: number;
  readonly rounds: number;
}

const fullSize: Size = { campaigns: 50, cases: 10_000, timedCases: 400, rounds: 11 };
const quickSize: Size = { campaigns: 20, cases: 100, timedCases: 50, rounds: 1 };

/** The seconds that each engine took for the same evaluations in one round. */
interface Round {
  readonly ours: number;
  readonly peers: number;
}

/** `npm run bench engine`: evaluations per second, compared with json-rules-engine on the same campaigns and facts. */
export const bench: Bench = {
  name: 'engine',
  about: 'evaluations per second, beside json-rules-engine',
  async run({ quick }) {
    const { ratio, differences } = await compareBoth(quick ? quickSize : fullSize);
    return [
      atMost('evaluations with other points than json-rules-engine', { figure: differences, promised: 0 }),
      atLeast('speed', {
        figure: ratio,
        promised: enginePromise.timesAsFast,
        inWords: (times) => `${times.toFixed(1)} times json-rules-engine's`,
      }),
    ];
  },
};

/** Compares points and speed of both engines. */
async function compareBoth({ timedCases, rounds, ...numberOf }: Size) {
  const workload = makeWorkload(numberOf);
  const { compared, awarded, differences } = await compareEngines(workload);
  console.log(`${compared} evaluations compared, ${awarded} award points, ${differences.length} differ`);

  const evaluations = numberOf.campaigns * timedCases;
  const measured = await measure(workload, { timedCases, rounds });
  const machine = { node: process.version, cores: availableParallelism(), rounds, evaluationsPerRound: evaluations };
  console.log(
    `node ${machine.node}, ${machine.cores} cores, medians of ${rounds} rounds of ${evaluations} evaluations\n`,
  );
  const ours = evaluations / median(measured.map((round) => round.ours));
  const peers = evaluations / median(measured.map((round) => round.peers));
  // Compares the engines within each round, because a slow moment of the machine slows both of them.
  const ratio = median(measured.map((round) => round.peers / round.ours));
  console.log(table([rowOf('ours', ours, ratio), rowOf('json-rules-engine 7.3.1', peers, 1)]));
  await save('engine', { machine, compared, awarded, differences: differences.slice(0, 10), ours, peers, ratio });
  return { ratio, differences: differences.length };
}

/**
 * Times both engines in each round, with other cases than in the rounds before. The first round warms up the compiler
 * and does not count. The engine that is timed first changes from round to round.
 */
async function measure(
  { campaigns, cases }: Workload,
  { timedCases, rounds }: Pick<Size, 'timedCases' | 'rounds'>,
): Promise<Round[]> {
  const peer = new Peer(campaigns);
  const measured: Round[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const timed = cases.slice(round * timedCases, (round + 1) * timedCases);
    const peerFacts = timed.map((one) => peerFactsOf(one, campaigns));
    const runOurs = () => {
      for (const one of timed) for (const campaign of campaigns) ourPoints(campaign, one);
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

/** A case under a campaign for which the engines award different points. */
interface Difference {
  readonly campaignId: number;
  readonly case: EvaluationCase;
  readonly ours: number;
  readonly peers: number;
}

interface Comparison {
  readonly compared: number;
  /** The evaluations that award points. */
  readonly awarded: number;
  readonly differences: readonly Difference[];
}

/** The points that one campaign awards, according to the platform's engine. */
function ourPoints(campaign: Campaign, { facts, usage }: EvaluationCase): number {
  const { flows } = evaluate(campaign, facts, usage);
  return flows.reduce((sum, { actions }) => actions.reduce((points, action) => points + action.points, sum), 0);
}

/** Evaluates every case under every campaign by the platform's engine and by json-rules-engine. */
export async function compareEngines({ campaigns, cases }: Workload): Promise<Comparison> {
  const peer = new Peer(campaigns);
  const differences: Difference[] = [];
  let awarded = 0;
  for (const one of cases) {
    const byPeer = await peer.evaluate(peerFactsOf(one, campaigns));
    for (const campaign of campaigns) {
      const [ours, peers] = [ourPoints(campaign, one), byPeer.get(campaign.id) ?? 0];
      if (ours > 0) awarded += 1;
      if (ours !== peers) differences.push({ campaignId: campaign.id, case: one, ours, peers });
    }
  }
  return { compared: campaigns.length * cases.length, awarded, differences };
}
