import { expect, it } from 'vitest';
import type { CampaignEntryView } from '../../dashboard/src/api/types.ts';
import { historyLines, lineText } from '../../dashboard/src/screens/campaign/history-lines.ts';

const own = { id: 1, name: 'Corner Coffee' };
const other = { id: 2, name: 'Skyline Miles' };
const entry = (act: CampaignEntryView['act'], person: string | null, organisation = own): CampaignEntryView => ({
  ...{ act, person, organisation, at: '2026-11-28T12:00:00.000Z', reason: null, revision: 1 },
});

it('saves of one person that follow one another are one line, and the other side is named by its organisation', () => {
  const lines = historyLines([
    entry('edit', null, other),
    entry('edit', 'Ann'),
    entry('edit', 'Ann'),
    entry('approve', 'Ann'),
    entry('edit', 'Ann'),
    entry('edit', 'Ben'),
    entry('create', 'Ben'),
  ]);
  expect(lines.map((line) => [lineText(line), line.times])).toEqual([
    ['Skyline Miles changed the draft', 1],
    ['Ann changed the draft', 2],
    ['Ann approved it', 1],
    ['Ann changed the draft', 1],
    ['Ben changed the draft', 1],
    ['Ben created the campaign', 1],
  ]);
});
