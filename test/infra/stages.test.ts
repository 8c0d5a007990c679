import { describe, expect, it } from 'vitest';
import { stageNames, stageSettings } from '../../infra/stages.ts';

describe('the settings of a stage', () => {
  it.each(stageNames)('are given for %s by its name', (name) => {
    expect(stageSettings(name).name).toBe(name);
  });

  it('are the sandbox’s when no stage is named', () => {
    expect(stageSettings().name).toBe('sandbox');
  });

  it('are refused for a name that is no stage’s', () => {
    expect(() => stageSettings('prodution')).toThrow(/unknown stage "prodution"/);
  });

  it('keep data in production only, and allow plain http webhooks locally only', () => {
    const having = (test: (name: (typeof stageNames)[number]) => boolean) => stageNames.filter(test);
    expect(having((name) => stageSettings(name).keepsData)).toEqual(['production']);
    expect(having((name) => stageSettings(name).webhookHttpHosts.length > 0)).toEqual(['local']);
  });
});
