import { expect, it } from 'vitest';
import { runDrill } from '../../tools/restore-drill/drill.ts';
import { differences, readExport } from '../../tools/restore-drill/table-export.ts';
import { assembledFolder } from '../support/assembled-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('the restore drill restores every item of a platform from an export', async () => {
  const { items, faults } = await runDrill({ folder: temporaryFolder('drill'), assembled: assembledFolder });
  expect(faults).toEqual([]);
  expect(items).toBeGreaterThan(50);
}, 240_000);

const entry = (points: string) => ({ pk: { S: 'LEDGER#1#2' }, sk: { S: points }, points: { N: points } });

it('the restore drill names each kind of lost item and each changed sum', () => {
  expect(differences([entry('5'), entry('7')], [entry('7'), entry('5')])).toEqual([]);
  expect(differences([entry('5'), entry('7')], [entry('7')])).toEqual([
    'LEDGER items: 1 restored of 2',
    'LEDGER points: 7 restored of 12',
  ]);
  expect(differences([entry('5')], [entry('6')])).toEqual(['LEDGER points: 6 restored of 5']);
});

it('the restore drill refuses a folder without an export', () => {
  expect(() => readExport(temporaryFolder('empty'))).toThrow('has no files *.json.gz of an export');
});
