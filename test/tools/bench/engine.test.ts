import { expect, it } from 'vitest';
import { compareEngines } from '../../../tools/bench/engine/bench.ts';
import { makeWorkload } from '../../../tools/bench/engine/workload.ts';

it("the platform's engine awards the same points as json-rules-engine", async () => {
  const { compared, awarded, differences } = await compareEngines(makeWorkload({ campaigns: 50, cases: 200 }));

  expect(differences).toEqual([]);
  // The comparison is conclusive only when some campaigns award and others do not.
  expect(awarded / compared).toBeGreaterThan(0.1);
  expect(awarded / compared).toBeLessThan(0.9);
});
