import { type PlantedBug, plantBug } from '../soak/planted.ts';

/** Bugs that the exhaustive histories have to find. Each removes one guard of the purchases (test/soak/planted.ts). */
export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'refunds of platforms do not count',
    file: 'shared/domain/purchase/settle.ts',
    find: 'return larger(plus(ofOrder, ofClaims.reduce(larger, nothing)), returnedShare(statements));',
    replace: 'return plus(ofOrder, ofClaims.reduce(larger, nothing));',
  },
  {
    name: 'a refund that failed at the platform counts at the merchant',
    file: 'shared/domain/purchase/settle.ts',
    find: 'refunds.filter(({ id }) => !failed.has(id)),',
    replace: 'refunds,',
  },
  {
    name: 'only one payment of an order counts',
    file: 'shared/operations/purchase/load-book.ts',
    find: 'payments: judged.filter(({ reason }) => reason === undefined).map(({ payment }) => payment),',
    replace: 'payments: judged.slice(0, 1).map(({ payment }) => payment),',
  },
  {
    name: 'points that paid earn points',
    file: 'shared/domain/purchase/statements.ts',
    find: 'paidCents: paidCentsOf(purchase),',
    replace: 'paidCents: 0,',
  },
  {
    name: 'the spend of a joined purchase counts twice',
    file: 'shared/domain/purchase/purchase.ts',
    find: 'aliasOf: into.externalTransactionId, netCents: 0 }',
    replace: 'aliasOf: into.externalTransactionId }',
  },
  {
    name: 'a purchase that grew earns no more',
    file: 'shared/operations/purchase/move-rewards.ts',
    find: 'further: grown.further,',
    replace: 'further: [],',
  },
  {
    name: 'a token that is spent after other reports is not announced',
    file: 'shared/operations/stream/count-changes.ts',
    find: 'for (const { announce } of news) await table.write(announce(context));',
    replace: 'for (const { announce } of news) void [announce, table, context];',
  },
];

/** Plants a bug in this thread, before anything imports its file. @throws Error when no bug has this name */
export function plant(name: string): void {
  const bug = plantedBugs.find((one) => one.name === name);
  if (!bug) throw new Error(`there is no planted bug "${name}"`);
  plantBug(bug);
}
