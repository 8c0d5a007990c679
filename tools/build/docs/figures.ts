import { stageNames, stageSettings } from '../../../infra/stages.ts';
import { code, table } from './tables.ts';

/** The section about the settings of stages. */

export function stageTable(): string[] {
  const stages = stageNames.map((name) => new Map(leavesOf(stageSettings(name))));
  const settings = new Set(stages.flatMap((stage) => [...stage.keys()]));
  settings.delete('name');
  return table(
    ['setting', ...stageNames],
    [...settings].map((setting) => [code(setting), ...stages.map((stage) => stage.get(setting) ?? '')]),
  );
}

/** The leaves of nested settings, each by its path. */
function leavesOf(settings: object, path: readonly string[] = []): [string, string][] {
  return Object.entries(settings).flatMap(([name, value]): [string, string][] => {
    const here = [...path, name];
    if (Array.isArray(value)) return [[here.join('.'), value.join(', ') || 'none']];
    return typeof value === 'object' && value !== null ? leavesOf(value, here) : [[here.join('.'), String(value)]];
  });
}
