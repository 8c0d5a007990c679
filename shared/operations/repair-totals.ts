import { maximumAttempts } from '../contracts/limits.ts';
import { differenceOf } from '../domain/ledger/totals.ts';
import { correctionWrite, TotalsCounter } from '../store/ledger/totals.ts';
import { OperationError } from './errors.ts';
import { reconcileTotals, subjectText, type TotalsReading, type WrongTotals, waitingIn } from './reconcile-totals.ts';
import { type AuditedDeps, type Confirmable, writeAudited } from './write-audited.ts';

/** The totals changed between the reading and the correction. Corrections before this one are written. */
class TotalsMovedError extends OperationError {
  override readonly name = 'TotalsMovedError';

  constructor(subject: string) {
    super(`the totals of ${subject} moved meanwhile; totals that were not corrected yet are as they were, try again`);
  }
}

/**
 * Corrects the totals of campaigns and partnerships by the ledger: it counts the entries that the stream has
 * left out, and adds the rest of the difference. It writes nothing when all totals are right.
 *
 * @param read reads the whole table
 * @throws TotalsMovedError
 */
export async function repairTotals(
  { read, confirm }: { readonly read: () => Promise<TotalsReading> } & Confirmable<void>,
  deps: AuditedDeps,
): Promise<void> {
  const first = await read();
  const { wrong, late, moving } = reconcileTotals(first);
  if (wrong.length + late.length + moving.length === 0) return;
  await confirm?.();

  // The stream's own counter counts no entry twice, even when the stream counts it at the same time.
  await new TotalsCounter(deps.table).count(first.entries.filter(waitingIn(first)), first.now);
  if (late.length > 0) {
    const what = `counted ${late.length} entries of the ledger that were in no totals`;
    await writeAudited({ what, writes: [], conflict: () => new TotalsMovedError('the ledger') }, deps);
  }
  for (let reading = 1; reading <= maximumAttempts.bookReading; reading += 1) {
    const result = reconcileTotals(await read());
    for (const totals of result.wrong) await correctTotals(totals, deps);
    if (result.moving.length === 0) return;
  }
}

async function correctTotals({ subject, found, expected, first }: WrongTotals, deps: AuditedDeps): Promise<void> {
  const add = differenceOf(expected, found);
  const name = subjectText(subject);
  await writeAudited(
    {
      what:
        `corrected the totals of ${name} by ${add.earnedPoints} points earned, ` +
        `${add.redeemedPoints} redeemed and ${add.transactions} transactions`,
      writes: [correctionWrite(subject, first, add)],
      conflict: () => new TotalsMovedError(name),
    },
    deps,
  );
}
