import { expect, it } from 'vitest';
import { notesOf } from '../../../tools/releases/notes.ts';

const commit = (title: string, body = '') => ({ hash: '0123456789abcdef', title, body });

it('release notes list new features and repairs, and count the other commits', () => {
  const notes = notesOf('v0.2.0', [
    commit('docs: a page'),
    commit('fix(deploy): an unknown option is one sentence'),
    commit('feat(store): items carry a version'),
    commit('Merge of something'),
  ]);
  expect(notes).toBe(`# v0.2.0

## New

- **store**: items carry a version (01234567)

## Repaired

- **deploy**: an unknown option is one sentence (01234567)

2 more commits: documents, tests, tools.`);
});

it('release notes list breaking changes first, and say what to do about them', () => {
  const notes = notesOf('v1.0.0', [
    commit('feat: a thing'),
    commit('refactor!: other keys'),
    commit('fix: a limit', 'Why.\n\nBREAKING CHANGE: raise the quota before'),
  ]);
  const [, attention = '', others = ''] = notes.split('\n## ');
  expect(attention).toContain('- other keys (01234567)\n- a limit (01234567)\n  raise the quota before');
  expect(others).toMatch(/^New\n/);
});

it('release notes contain only the version when a release has no changes', () => {
  expect(notesOf('v1.0.1', [])).toBe('# v1.0.1');
});
