import { type PlantedBug, plantBug } from '../soak/planted.ts';

/** Bugs that the exhaustive histories have to find. Each removes one guard of the purchases (test/soak/planted.ts). */
export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a refund ignores the earlier refunds',
    file: 'shared/domain/reversal/reversal.ts',
    find: 'const points = Math.max(0, original.points - before.points - net.points);',
    replace: 'const points = Math.max(0, original.points - net.points);',
  },
];

/** Plants a bug in this thread, before anything imports its file. @throws Error when no bug has this name */
export function plant(name: string): void {
  const bug = plantedBugs.find((one) => one.name === name);
  if (!bug) throw new Error(`there is no planted bug "${name}"`);
  plantBug(bug);
}
