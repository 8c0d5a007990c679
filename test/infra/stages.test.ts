import { describe, expect, it } from 'vitest';
import { stageNames, stageSettings } from '../../infra/stages.ts';

describe('stageSettings()', () => {
  it.each(stageNames)('returns the settings of the stage %s', (name) => {
    expect(stageSettings(name).name).toBe(name);
  });

  it('returns the settings of sandbox by default', () => {
    expect(stageSettings().name).toBe('sandbox');
  });

  it('throws for an unknown stage', () => {
    expect(() => stageSettings('prodution')).toThrow(/unknown stage "prodution"/);
  });

  it('reserves concurrency on production only', () => {
    expect(Object.keys(stageSettings('production').reservedConcurrency)).toEqual([
      'reward/authenticate-transaction',
      'reward/create-transaction',
      'consumers/relay-outbox',
    ]);
    for (const name of ['sandbox', 'local']) expect(stageSettings(name).reservedConcurrency).toEqual({});
  });

  it('retains data on production only, and allows plain http webhooks on local only', () => {
    const having = (test: (name: (typeof stageNames)[number]) => boolean) => stageNames.filter(test);
    expect(having((name) => stageSettings(name).keepsData)).toEqual(['production']);
    expect(having((name) => stageSettings(name).webhookHttpHosts.length > 0)).toEqual(['local']);
  });
});
