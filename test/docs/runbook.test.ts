import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { consumers } from '../../functions/consumers.ts';

/** Whoever is woken by an alarm looks for its words. */

const runbook = readFileSync(join(import.meta.dirname, '../../docs/runbook.md'), 'utf8').replaceAll(/\s+/g, ' ');

describe('the runbook', () => {
  it.each(consumers)('says what to do when $name fails, in the words of its alarms', ({ impact: breaks }) => {
    expect(runbook).toContain(breaks);
  });
});
