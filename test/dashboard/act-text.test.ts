import { describe, expect, it } from 'vitest';
import { actText } from '../../dashboard/src/screens/audit/act-text.ts';

describe('an entry of the audit', () => {
  const names = {
    campaign: new Map([['10', 'Spring double']]),
    person: new Map([['01a222ac-0ac6', 'Olivia Hart']]),
    template: new Map<string, string>(),
  };

  it.each([
    ['submitted campaign 10 as organisation 1', 'Submitted campaign “Spring double”'],
    ['used template 3 as organisation 1: campaign 10', 'Used template 3: campaign “Spring double”'],
    ['removed person 01a222ac-0ac6', 'Removed person “Olivia Hart”'],
    ['changed campaign 11 as organisation 1', 'Changed campaign 11'],
  ])('%s reads as "%s"', (what, text) => {
    expect(actText({ act: 'submit campaign', outcome: 'done', what }, names)).toBe(text);
  });

  it('says what was tried when it was refused', () => {
    const entry = { act: 'approve campaign', outcome: 'refused', what: 'lacks the permission' } as const;
    expect(actText(entry, names)).toBe('Tried to approve campaign: lacks the permission');
  });
});
