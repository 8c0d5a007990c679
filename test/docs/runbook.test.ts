import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { consumers } from '../../functions/consumers.ts';
import { metricList } from '../../shared/contracts/metrics.ts';
import { synthesized } from '../infra/support/synthesized.ts';

/** An operator follows the link of an alarm into the runbook. */

const runbook = readFileSync(join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
const plain = runbook.replaceAll(/\s+/g, ' ');

/** The anchor of a heading: what follows `#` in a link to it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s/g, '-');

/** The sections of a chapter, each with its text. */
function sectionsOf(chapter: string): Map<string, string> {
  const [, text = ''] = runbook.split(`\n## ${chapter}\n`);
  const sections = (text.split('\n## ')[0] ?? '').split('\n### ').slice(1);
  return new Map(sections.map((section) => [anchorOf(section.split('\n')[0] ?? ''), section]));
}

const ofAlarms = sectionsOf('Alarms');
const ofConsumers = sectionsOf('Consumers');

/** Every alarm with the section that its text names. */
const alarms = (['sandbox', 'production'] as const).flatMap((stage) =>
  ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap((type) =>
    synthesized(stage)
      .ofType(type)
      .map(({ id, Properties }) => {
        const description = String(Properties.AlarmDescription);
        return {
          id,
          description,
          section: /[(](?:page|ticket); docs\/runbook\.md#([\w-]+)[)]$/.exec(description)?.[1],
        };
      }),
  ),
);

describe('docs/runbook.md and the alarms', () => {
  it('every alarm names a section, and the section exists', () => {
    expect(alarms.length).toBeGreaterThan(300);
    const lost = alarms.filter(({ section = '' }) => !ofAlarms.has(section) && !ofConsumers.has(section));
    expect(lost).toEqual([]);
  });

  it('every section about alarms is named by an alarm', () => {
    // A declared alarm may exist on no stage of this test, so the declared alarms count as well.
    const declared = metricList.flatMap(({ alarm }) => alarm?.section ?? []);
    const used = new Set([...alarms.flatMap(({ section }) => section ?? []), ...declared]);
    expect([...ofAlarms.keys(), ...ofConsumers.keys()].filter((section) => !used.has(section))).toEqual([]);
  });

  it.each([...ofAlarms])('the section %s has the parts Means, Look, Do and Escalate', (_, text) => {
    expect(text).toContain('**Means.**');
    expect(text).toMatch(/[*][*]Look( and do)?[.][*][*]/);
    expect(text).toMatch(/[*][*](Do|Look and do)[.][*][*]/);
    expect(text).toMatch(/[*][*]Escalate:?[*][*]/);
  });

  it.each(alarms.filter(({ description }) => description.length > 1_024))(
    'the description of the alarm $id is short enough for CloudWatch',
    () => {
      expect.unreachable();
    },
  );
});

describe('docs/runbook.md', () => {
  it.each(consumers)('contains the text of the alarms of $name', ({ impact }) => {
    expect(plain).toContain(impact);
  });

  it.each(consumers)('has a section about $name', ({ name }) => {
    expect(ofConsumers.has(name)).toBe(true);
  });
});
