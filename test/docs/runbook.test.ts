import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { consumers } from '../../functions/consumers.ts';

/** An operator who receives an alarm searches the runbook for its text. */

const runbook = readFileSync(join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');

/** The constructs' own texts of alarms, up to the first value that they insert. */
const alarmTexts = globSync('infra/constructs/*.ts')
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/impact: [`']([^`'$]{12,})/g)])
  .map(([, text = '']) => text.trim());

describe('docs/runbook.md', () => {
  it.each(consumers)('contains the text of the alarms of $name', ({ impact }) => {
    expect(runbook.replaceAll(/\s+/g, ' ')).toContain(impact);
  });

  it.each(consumers.flatMap(({ alarmingMessages = {} }) => Object.values(alarmingMessages)))(
    'contains the message of an alarm: %s',
    (text) => {
      expect(runbook.replaceAll(/\s+/g, ' ')).toContain(text);
    },
  );

  it.each(consumers)('has a section about $name', ({ name }) => {
    expect(runbook).toContain(`\n### ${name}\n`);
  });

  it.each(alarmTexts)('contains the alarm text “%s”', (text) => {
    expect(runbook.replaceAll(/\s+/g, ' ')).toContain(text);
  });
});
