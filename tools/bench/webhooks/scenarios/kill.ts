import { Fleet } from '../fleet.ts';
import { linesOf, measuresOf, notesOf } from '../lines.ts';
import { runRound, warmUp } from '../round.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from '../scenario.ts';

const endpoints = 20;
const topicAt = (nth: number): string => `topic-${nth % endpoints}`;
/** Messages of a dead consumer become visible again after a time, for example after 30 seconds. */
const waitMs = 120_000;

async function run({ name, sender, receivers, rate, seconds }: ScenarioContext): Promise<ScenarioResult> {
  const plans = Array.from({ length: endpoints }, (_, nth) => ({ behaviour: 'fast', topic: topicAt(nth) }) as const);
  const fleet = await Fleet.open(receivers, sender, plans);
  const kill = async (): Promise<void> => sender.kill?.();
  const load = { sender, fleet, perSecond: rate, topicOf: topicAt, waitMs };
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
  run,
};
