import { setTimeout as sleep } from 'node:timers/promises';
import { clockMs } from '../event.ts';
import { Fleet } from '../fleet.ts';
import { runRound, warmUp } from '../round.ts';
import { linesOf, measuresOf, notesOf, type Scenario, type ScenarioContext, type ScenarioResult } from '../scenario.ts';

const topic = 'dead';
/** The pause after each step, in real time, for the work that the step causes. */
const workMs = 50;
const healthyRate = 20;
const deadWaitMs = 180_000;

async function runDeadHour(context: ScenarioContext): Promise<ScenarioResult> {
  const { name, sender, receivers, backlog, lengths } = context;
  const [deadMs, stepMs] = [lengths.deadMinutes * 60_000, lengths.stepSeconds * 1_000];
  const fleet = await Fleet.open(receivers, sender, [{ behaviour: 'fast', topic }]);
  const load = { sender, fleet, topicOf: () => topic, waitMs: deadWaitMs };
  // Before the endpoint dies, it answers some events, so the sender does not treat it as a new endpoint.
  await warmUp({ ...load, perSecond: healthyRate }, lengths.warmUpSeconds);
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
    perSecond: backlog / lengths.backlogSeconds,
    incidents: [{ afterMs: lengths.backlogSeconds * 1_000, run: hour }],
    whileWaiting: step,
  });
  const lines = linesOf(round, { sender: name, load: `dead for ${lengths.deadMinutes} min`, fleet });
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
