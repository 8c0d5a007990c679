import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as codes from '../../shared/http/views/campaign-codes.ts';

const row = readFileSync('docs/gaps.md', 'utf8')
  .split('\n')
  .find((line) => line.includes('Meanings of action, condition and limit numbers'));

const meanings = [
  codes.actionTypeCodes,
  codes.conditionTypeCodes,
  codes.operatorCodes,
  codes.logicCodes,
  codes.multiplierAttributeCodes,
  codes.limitTypeCodes,
  codes.boundCodes,
  codes.limitUnitCodes,
  codes.periodCodes,
  codes.goalTypeCodes,
].flatMap((numbers) =>
  Object.entries(numbers).map(([word, number]) => [number, word.toLowerCase().replaceAll('_', ' ')]),
);

it.each(meanings)('docs/gaps.md lists the code %s with the meaning “%s”', (number, word) => {
  expect(row).toMatch(new RegExp(`\\b${number} ${word}\\b`));
});
