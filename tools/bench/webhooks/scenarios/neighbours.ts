import { type EndpointPlan, Fleet } from '../fleet.ts';
import { type Round, runRound, warmUp } from '../round.ts';
import { linesOf, measuresOf, notesOf, type Scenario, type ScenarioContext, type ScenarioResult } from '../scenario.ts';
import { type Delivery, figuresOf } from '../tally.ts';

const endpoints = 100;
/** One of this many endpoints is slow: it answers after 50 ms. All others answer immediately. */
const slowShare = 5;
const topicAt = (nth: number): string => `topic-${nth % endpoints}`;
/** Endpoints that answer immediately until the scenario changes them. */
const [hanging, dead] = [topicAt(7), topicAt(8)];
/** The time that a sender has to notice the change. */
const onsetMs = 10_000;
const waitMs = 60_000;

async function runNeighbours(context: ScenarioContext): Promise<ScenarioResult> {
  const { name, sender, receivers, rate, seconds, lengths } = context;
  const plans = Array.from({ length: endpoints }, (_, nth): EndpointPlan => {
    return { behaviour: nth % slowShare === slowShare - 1 ? '50 ms' : 'fast', topic: topicAt(nth) };
  });
  const fleet = await Fleet.open(receivers, sender, plans);
  const load = { sender, fleet, perSecond: rate, topicOf: topicAt, waitMs };
  await warmUp(load, lengths.warmUpSeconds);
  const before = await runRound({ ...load, count: rate * seconds });
  const healthyLines = linesOf(before, { sender: name, load: 'all healthy', fleet });
  await fleet.change(hanging, 'hanging headers');
  await fleet.change(dead, 'dead');
  const since = await runRound({ ...load, count: rate * seconds * 2 });

  const isHealthy = ({ endpoint }: Delivery) => fleet.isDelivering(endpoint);
  const settledMs = Math.min(onsetMs, seconds * 1_000);
  const settledAt = since.startedAt + settledMs;
  const isSettled = ({ dueAt }: Delivery) => dueAt >= settledAt;
  const p99 = (round: Round, only: (delivery: Delivery) => boolean) =>
    figuresOf(round.deliveries.filter(only), round.endedAt).first.p99;
  const ratio = (only: (delivery: Delivery) => boolean) => p99(since, only) / p99(before, isHealthy);
  const withOnset = ratio(isHealthy);
  const afterwards = ratio((delivery) => isHealthy(delivery) && isSettled(delivery));

  const lines = [
    ...healthyLines,
    ...linesOf(since, { sender: name, load: '1 hangs, 1 dead', fleet }),
    ...linesOf(since, { sender: name, load: `… after ${settledMs / 1_000} s`, fleet, only: isSettled }),
  ];
  return {
    lines,
    notes: [
      ...[before, since].flatMap(notesOf),
      `${name}: p99 of the healthy ${withOnset.toFixed(2)} times that of all healthy, ${afterwards.toFixed(2)} times after the onset`,
    ],
    measures: { healthyRatio: withOnset, ...measuresOf(lines, [before, since]) },
  };
}

export const neighbours: Scenario = {
  name: 'neighbours',
  about: '100 endpoints, all healthy; then one of them hangs and one is dead',
  run: runNeighbours,
};
