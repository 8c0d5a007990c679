import { setTimeout as sleep } from 'node:timers/promises';
import { clockMs } from '../event.ts';
import { Fleet } from '../fleet.ts';
import { runRound, warmUp } from '../round.ts';
import { linesOf, measuresOf, notesOf, type Scenario, type ScenarioContext, type ScenarioResult } from '../scenario.ts';

const endpoints = 20;
const topicAt = (nth: number): string => `topic-${nth % endpoints}`;
/**
 * The longest wait after a kill. The messages of a dead consumer become visible again only after a while, for example
 * after 30 seconds.
 */
const killWaitMs = 120_000;

async function runKills({ name, sender, receivers, rate, seconds }: ScenarioContext): Promise<ScenarioResult> {
  const plans = Array.from({ length: endpoints }, (_, nth) => ({ behaviour: 'fast', topic: topicAt(nth) }) as const);
  const fleet = await Fleet.open(receivers, sender, plans);
  const kill = async (): Promise<void> => sender.kill?.();
  const load = { sender, fleet, perSecond: rate, topicOf: topicAt, waitMs: killWaitMs };
  await warmUp(load);
  const round = await runRound({
    ...load,
    count: rate * seconds,
    incidents: [1 / 3, 2 / 3].map((share) => ({ afterMs: share * seconds * 1_000, run: kill })),
  });
  const lines = linesOf(round, { sender: name, load: `${rate}/s, 2 kills`, fleet });
  return { lines, notes: notesOf(round), measures: measuresOf(lines, [round]) };
}

export const killed: Scenario = {
  name: 'kill',
  about: 'kill -9 of the deliverer, twice under load',
  needs: 'kill',
  run: runKills,
};

const topic = 'dead';
const deadMs = 60 * 60 * 1_000;
/** The clock moves in steps of this length. With longer steps, timers that other timers start would run too late. */
const stepMs = 10_000;
/** The pause after each step, in real time, for the work that the step causes. */
const workMs = 50;
const healthyRate = 20;
const publishSeconds = 20;
const deadWaitMs = 180_000;

async function runDeadHour({ name, sender, receivers, backlog }: ScenarioContext): Promise<ScenarioResult> {
  const fleet = await Fleet.open(receivers, sender, [{ behaviour: 'fast', topic }]);
  const load = { sender, fleet, topicOf: () => topic, waitMs: deadWaitMs };
  // Before the endpoint dies, it answers some events, so the sender does not treat it as a new endpoint.
  await warmUp({ ...load, perSecond: healthyRate });
  await fleet.change(topic, 'dead');
  /** The moments at which the steps ended, in real time. */
  const steps: number[] = [];
  let revivedAt = 0;
  const step = async (): Promise<void> => {
    await fleet.advanceClock(stepMs);
    await sender.advanceClock?.(stepMs);
    await sleep(workMs);
    steps.push(clockMs());
  };
  const hour = async (): Promise<void> => {
    for (let passedMs = 0; passedMs < deadMs; passedMs += stepMs) await step();
    revivedAt = clockMs();
    await fleet.change(topic, 'fast');
  };
  const round = await runRound({
    ...load,
    count: backlog,
    perSecond: backlog / publishSeconds,
    incidents: [{ afterMs: publishSeconds * 1_000, run: hour }],
    whileWaiting: step,
  });
  const lines = linesOf(round, { sender: name, load: 'dead for 1 h', fleet });
  const requestsToDead = lines.reduce((sum, { wasted }) => sum + wasted, 0);
  const lastAt = round.deliveries.reduce((last, { answeredAt = 0 }) => Math.max(last, answeredAt), 0);
  const drainSeconds = ((lastAt - revivedAt) / 1_000).toFixed(1);
  const drainSteps = steps.filter((at) => at > revivedAt && at - lastAt < workMs).length;
  const clockSeconds = (drainSteps * stepMs) / 1_000;
  return {
    lines,
    notes: [
      ...notesOf(round),
      `${name}: ${requestsToDead} requests to the dead endpoint; the last delivery ${clockSeconds} s of its clock and ${drainSeconds} s of real time after the recovery`,
    ],
    measures: { requestsToDead, ...measuresOf(lines, [round]) },
  };
}

export const deadForAnHour: Scenario = {
  name: 'dead-hour',
  about: 'an endpoint is dead for an hour with events waiting, then recovers',
  needs: 'advanceClock',
  run: runDeadHour,
};
