import { describe, expect, it } from 'vitest';
import {
  afterEvent,
  reconcile,
  type SaveEvent,
  type ServerDraft,
  savedAt,
  sendAfterMs,
} from '../../../dashboard/src/builder/autosave.ts';

const at = '2026-11-28T12:03:00.000Z';
const draftAt = (revision: number, document: object = { name: 'Spring' }): ServerDraft => ({
  ...{ revision, document: { ...document }, by: 'Ada', at, approvedBy: [], isRunning: false },
});
const fileOf = (document: object) => ({ document: { ...document }, keys: {} });
const stateAfter = (...events: SaveEvent[]) => events.reduce(afterEvent, savedAt(draftAt(4)));

const changed: SaveEvent = { kind: 'changed' };
const sent: SaveEvent = { kind: 'sent', file: fileOf({ name: 'Summer' }) };
const saved: SaveEvent = { kind: 'saved', stored: draftAt(5), at };
const unreachable: SaveEvent = { kind: 'unreachable', isOffline: true };
const retried: SaveEvent = { kind: 'retried' };

describe('the state of unsaved work', () => {
  it('is sent after a change, and saved by the reply', () => {
    expect([stateAfter(), stateAfter(changed), stateAfter(changed, sent)].map(sendAfterMs)).toEqual([
      undefined,
      800,
      undefined,
    ]);
    const clean = stateAfter(changed, sent, saved);
    expect(clean).toMatchObject({ phase: 'clean', stored: { revision: 5 }, savedAt: at, unanswered: [] });
  });

  it('is sent again when something changed on the way', () => {
    expect(stateAfter(changed, sent, changed, saved)).toMatchObject({ phase: 'dirty', stored: { revision: 5 } });
  });

  it('waits longer after each attempt without an answer, and not beyond a minute', () => {
    const attempts = Array.from({ length: 6 }, (_, count) =>
      stateAfter(changed, ...Array.from({ length: count + 1 }, () => [sent, unreachable]).flat()),
    );
    expect(attempts.map(sendAfterMs)).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
    expect(afterEvent(stateAfter(changed, sent, unreachable, changed), retried)).toMatchObject({ phase: 'dirty' });
    expect(stateAfter(changed, sent, unreachable, retried, sent, saved).failures).toBe(0);
  });

  it('remembers what was sent without an answer, each file once', () => {
    const later: SaveEvent = { kind: 'sent', file: fileOf({ name: 'Autumn' }) };
    const waiting = stateAfter(changed, sent, unreachable, sent, unreachable, changed, later, unreachable);
    expect(waiting.unanswered.map(({ document }) => document.name)).toEqual(['Summer', 'Autumn']);
  });

  it('waits for a person who has to sign in again', () => {
    const ended = stateAfter(changed, sent, { kind: 'session_ended' }, changed);
    expect([ended.phase, afterEvent(ended, retried).phase]).toEqual(['signed_out', 'dirty']);
  });

  it('asks whose work counts, and is not sent before the answer', () => {
    const conflict = draftAt(9);
    const conflicted = stateAfter(changed, sent, { kind: 'conflicted', conflict }, changed, retried);
    expect(conflicted).toMatchObject({ phase: 'conflict', conflict });
    const based = (isWhole: boolean) => afterEvent(conflicted, { kind: 'rebased', stored: conflict, isWhole });
    expect(based(true)).toEqual(savedAt(conflict));
    expect(based(false)).toMatchObject({ phase: 'dirty', stored: { revision: 9 }, conflict: null });
  });

  it('is sent again after a refusal when something changed, or when the person asks for it', () => {
    const refused = stateAfter(changed, sent, { kind: 'refused', reason: 'it is too large' });
    expect(refused).toMatchObject({ phase: 'refused', reason: 'it is too large' });
    expect(afterEvent(refused, changed)).toMatchObject({ phase: 'dirty', reason: null });
    expect(afterEvent(refused, retried).phase).toBe('dirty');
    expect(stateAfter(changed, sent, changed, { kind: 'refused', reason: 'x' }).phase).toBe('dirty');
  });
});

describe('a draft that was changed meanwhile', () => {
  const stored = draftAt(4, { name: 'Spring', startsAt: null, flows: [] });
  const own = fileOf({ name: 'Summer', startsAt: null, flows: [{ trigger: { type: 'SPEND' } }] });
  const before = { stored, unanswered: [] };
  const answered = draftAt(5, { name: 'Summer', startsAt: at, flows: [{ id: 1, trigger: { type: 'SPEND' } }] });

  it('is the own work when the answer to an earlier file was lost', () => {
    const later = fileOf({ ...own.document, name: 'Summer 2027' });
    expect(reconcile({ stored, unanswered: [own] }, later, answered)).toEqual({ kind: 'own', file: own });
    expect(reconcile(before, own, answered)).toEqual({ kind: 'own', file: own });
    expect(reconcile(before, later, answered)).toEqual({ kind: 'conflict' });
  });

  it('takes nothing away from a person who changed nothing', () => {
    expect(reconcile(before, fileOf(stored.document), answered)).toEqual({ kind: 'apart' });
  });

  it('is no conflict when the document is the same, unless an approval would be lost or it runs now', () => {
    const theirs = { ...stored, revision: 5 };
    expect(reconcile(before, own, theirs)).toEqual({ kind: 'apart' });
    expect(reconcile(before, own, { ...theirs, approvedBy: ['Skyline Miles'] })).toEqual({ kind: 'conflict' });
    expect(reconcile(before, own, { ...theirs, isRunning: true })).toEqual({ kind: 'conflict' });
    const known = { ...before, stored: { ...stored, approvedBy: ['Skyline Miles'] } };
    expect(reconcile(known, own, { ...theirs, approvedBy: ['Skyline Miles'] })).toEqual({ kind: 'apart' });
  });
});
