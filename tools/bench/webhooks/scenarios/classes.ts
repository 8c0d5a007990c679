import { type EndpointPlan, Fleet } from '../fleet.ts';
import { linesOf, measuresOf, notesOf } from '../lines.ts';
import { behaviourNames } from '../receivers/behaviours.ts';
import { runRound, warmUp } from '../round.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from '../scenario.ts';

const waitMs = 45_000;
const warmUpTopic = 'warm-up';
/** The endpoints that fail or hang receive much of the load here, so that the load is lower than in other scenarios. */
const loadShare = 0.25;

async function run({ name, sender, receivers, rate, seconds }: ScenarioContext): Promise<ScenarioResult> {
  const classes = behaviourNames;
  const plans = classes.map((behaviour): EndpointPlan => ({ behaviour, topic: behaviour }));
  const fleet = await Fleet.open(receivers, sender, [...plans, { behaviour: 'fast', topic: warmUpTopic }]);
  const perSecond = rate * loadShare;
  await warmUp({ sender, fleet, perSecond, topicOf: () => warmUpTopic, waitMs });
  const topicOf = (nth: number): string => classes[nth % classes.length] ?? '';
  const round = await runRound({ sender, fleet, count: perSecond * seconds, perSecond, topicOf, waitMs });
  const lines = linesOf(round, { sender: name, load: `${perSecond}/s`, fleet });
  return { lines, notes: notesOf(round), measures: measuresOf(lines, [round]) };
}

export const classes: Scenario = {
  name: 'classes',
  about: 'one endpoint of each kind: fast, slow, failing, hanging, huge',
  run,
};
