import { isPartition, partitions } from '../../../shared/contracts/table.ts';
import { personalKinds } from '../../../shared/store/person/personal-items.ts';
import { code, table } from './tables.ts';

/** The kinds of items that contain personal data or the id of a user, and the partitions that have no such items. */
export function personalDataTable(): string[] {
  const names = Object.keys(partitions).filter(isPartition);
  const rows = names.flatMap((name) => {
    const kinds = personalKinds[name];
    if (typeof kinds === 'string') return [];
    return kinds.map(({ holds, where, why, kept, shown, erased }) => [
      code(...[partitions[name], ...(where === undefined ? [] : [where])]),
      ...[holds, why, kept],
      typeof shown === 'string' ? `“${shown}”` : `not shown: ${shown.not}`,
      erased,
    ]);
  });
  const without = names.flatMap((name) => {
    const reason = personalKinds[name];
    return typeof reason === 'string' ? [[code(partitions[name]), reason]] : [];
  });
  return [
    ...table(['item', 'what it holds', 'why', 'how long', 'an export shows', 'an erasure'], rows),
    '',
    'Partitions without personal data:',
    '',
    ...table(['partition', 'what it holds instead'], without),
  ];
}
