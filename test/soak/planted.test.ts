import { expect, it } from 'vitest';
import { occurrencesOf, plantedBugs } from './planted.ts';

it.each(plantedBugs)('the planted bug "$name" replaces a text that its file contains exactly once', (bug) => {
  expect(occurrencesOf(bug), `${bug.file}: ${bug.find}`).toBe(1);
});
