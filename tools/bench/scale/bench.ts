import { type Ceiling, ceilingsAt, dollarsPerMonth, type PlatformLoad, simulateCountersAt } from '../../scale/model.ts';
import { purchaseItems } from '../../scale/purchase-items.ts';
import {
  blockersAt,
  brokenGoals,
  goals,
  headroomText,
  inWords,
  isStart,
  margin,
  metAt,
  remedyText,
  scenarios,
  titleOf,
} from '../../scale/scenarios.ts';
import { simulateDeliveries } from '../../scale/simulated/delivery-partitions.ts';
import { simulateDueIndex, simulateSweep } from '../../scale/simulated/due-index.ts';
import { type Bench, promiseWithout } from '../bench.ts';
import { type Row, save, table } from '../report.ts';

/** `npm run bench scale`: shows which limits of AWS and of the settings a load reaches, and what to raise. */
export const bench: Bench = {
  name: 'scale',
  about: 'which limits of AWS a load meets, what to raise, and dollars a month',
  async run() {
    await printModel();
    return [promiseWithout(brokenGoals(), 'the goals of the load are met')];
  },
};

async function printModel(): Promise<void> {
  console.log('The items of one purchase, and what their keys belong to\n');
  console.log(table(purchaseItems.map(itemRow)));
  console.log('\nThe limit that each load meets first\n');
  console.log(table(scenarios.map(scenarioRow)));
  for (const load of goals) {
    console.log(`\n${titleOf(load)}: limits that the load does not fit ${margin} times\n`);
    console.log(table(ceilingsAt(load).filter(isTight).map(ceilingRow)));
    const blockers = blockersAt(load).map(({ name }) => name);
    console.log(`\nneeds other code for: ${blockers.join(', ') || 'nothing'}`);
  }
  console.log('\nSimulated\n');
  console.log(table(goals.map(simulatedRow)));
  await save(
    'scale',
    scenarios.map((load) => ({ ...load, ceilings: ceilingsAt(load) })),
  );
}

const isTight = ({ headroom }: Ceiling): boolean => headroom < margin;

function itemRow(use: (typeof purchaseItems)[number]): Row {
  const { item, prefix, owner, readUnits = 0, writeUnits = 0, onceFor = '' } = use;
  const batch = onceFor === '' ? '' : 'a batch';
  return {
    function: use.function,
    item,
    key: prefix,
    'one for a': owner,
    reads: readUnits,
    writes: writeUnits,
    'once for': batch,
  };
}

function scenarioRow(load: PlatformLoad): Row {
  const [first, second] = ceilingsAt(load).filter((one) => !isStart(one));
  const met = metAt(load);
  return {
    load: titleOf(load),
    '$ a month': inWords(Math.round(dollarsPerMonth(load))),
    first: first ? `${first.part}: ${first.name}` : '',
    'fits ': headroomText(first?.headroom ?? 0),
    next: second ? `${second.part}: ${second.name}` : '',
    'fits  ': headroomText(second?.headroom ?? 0),
    met: met.length,
    'other code': met.filter(({ remedy }) => remedy.kind === 'design').length,
  };
}

function ceilingRow(ceiling: Ceiling): Row {
  const { part, name, demand, capacity, headroom } = ceiling;
  return {
    ...{ part, limit: name, needs: inWords(demand), has: inWords(capacity), fits: headroomText(headroom) },
    raise: remedyText(ceiling),
  };
}

function simulatedRow(load: PlatformLoad): Row {
  const { secondsBehind } = simulateCountersAt(load);
  const deliveries = simulateDeliveries(load.perSecond / load.merchants);
  const due = simulateDueIndex(load.perSecond);
  const sweep = simulateSweep(load.perSecond);
  return {
    load: titleOf(load),
    'counters behind s': inWords(secondsBehind),
    'busiest delivery partition': deliveries.busiestSecond,
    'keys a minute of the index': due.keysPerMinute,
    'busiest of them': due.busiestSecond,
    'release late, min in an hour': sweep.minutesLate,
  };
}
