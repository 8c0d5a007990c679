import { stageNames, stageSettings } from '../../../infra/stages.ts';
import { costPromises } from '../../../shared/contracts/promises.ts';
import { code, table } from './markdown.ts';

/** Sections about figures that are declared in one place: the settings of stages and what requests may cost. */

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

export function costTable(): string[] {
  const rows = Object.entries(costPromises).map(([endpoint, promise]) => [
    endpoint,
    ...[promise.coldRoundTrips, promise.warmRoundTrips, promise.readUnits, promise.writeUnits].map((most) =>
      String(most ?? ''),
    ),
  ]);
  return table(['endpoint', 'round trips, cold', 'round trips, warm', 'read units', 'write units'], rows);
}
