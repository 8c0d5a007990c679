import { describe, expect, it } from 'vitest';
import { afterEvent, isDue, isUnsaved, type SaveEvent, savedAt } from '../../../dashboard/src/builder/autosave.ts';

const at = '2026-11-28T12:03:00.000Z';
const stateAfter = (...events: SaveEvent[]) => events.reduce(afterEvent, savedAt(4));
const changed: SaveEvent = { kind: 'changed' };
const sent: SaveEvent = { kind: 'sent' };
const saved: SaveEvent = { kind: 'saved', revision: 5, at };

describe('the state of unsaved work', () => {
  it('is sent after a change, and saved by the reply', () => {
    expect([isDue(stateAfter()), isDue(stateAfter(changed)), isDue(stateAfter(changed, sent))]).toEqual([
      false,
      true,
      false,
    ]);
    expect(stateAfter(changed, sent, saved)).toMatchObject({ phase: 'clean', revision: 5, savedAt: at });
    expect(isUnsaved(stateAfter(changed, sent))).toBe(true);
  });

  it('is sent again when something changed on the way', () => {
    expect(stateAfter(changed, sent, changed, saved)).toMatchObject({ phase: 'dirty', revision: 5 });
  });

  it('waits for the network', () => {
    const offline = stateAfter(changed, sent, { kind: 'unreachable' }, changed);
    expect(offline.phase).toBe('offline');
    expect(afterEvent(offline, { kind: 'reachable' })).toMatchObject({ phase: 'dirty', revision: 4 });
    expect(stateAfter({ kind: 'reachable' }).phase).toBe('clean');
  });

  it('waits for a person who has to sign in again', () => {
    const ended = stateAfter(changed, sent, { kind: 'session_ended' }, changed);
    expect([ended.phase, afterEvent(ended, { kind: 'signed_in' }).phase]).toEqual(['signed_out', 'dirty']);
  });

  it('asks whose work counts after another person changed the draft', () => {
    const conflict = { revision: 9, by: 'Ada', at };
    const conflicted = stateAfter(changed, sent, { kind: 'conflicted', conflict }, changed);
    expect(conflicted).toMatchObject({ phase: 'conflict', conflict });
    expect(afterEvent(conflicted, { kind: 'kept_own' })).toMatchObject({ phase: 'dirty', revision: 9, conflict: null });
    expect(afterEvent(conflicted, { kind: 'took_theirs', revision: 9 })).toEqual(savedAt(9));
  });

  it('is sent again after a refusal only when something changed', () => {
    const refused = stateAfter(changed, sent, { kind: 'refused', reason: 'it is too large' });
    expect(refused).toMatchObject({ phase: 'refused', reason: 'it is too large' });
    expect(afterEvent(refused, changed)).toMatchObject({ phase: 'dirty', reason: null });
    expect(stateAfter(changed, sent, changed, { kind: 'refused', reason: 'x' }).phase).toBe('dirty');
  });
});
