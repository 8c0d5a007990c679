import { expect, it } from 'vitest';
import { occurrencesOf, plantedBugs } from './planted.ts';

it.each(plantedBugs)('the text of "$name" is in its file once', (bug) => {
  expect(occurrencesOf(bug), `${bug.file}: ${bug.find}`).toBe(1);
});
