import { timingMs } from '../../contracts/limits.ts';
import { purchaseIdOf } from '../../domain/payment/payment.ts';
import { changeDue } from '../../domain/purchase/move.ts';
import { netSpendCents } from '../../domain/purchase/purchase.ts';
import { moneyBought, moneyLeft, standingOf, type Target } from '../../domain/purchase/settle.ts';
import { countOfEvent, rewardsOfEvent } from '../../domain/purchase/shared-event.ts';
import { type Mismatch, unequal } from '../../domain/reconciliation/invariants.ts';
import { ContentionError } from '../../store/table/table-client.ts';
import type { Deps } from '../operation.ts';
import type { CampaignGrowth } from '../purchase/grow-rewards.ts';
import { type Book, isOfEarlierForm, loadBook, loadBookStores, type PurchaseReport } from '../purchase/load-book.ts';
import { type Differences, findDifferences, inTimeTarget, isRefused } from '../purchase/move-rewards.ts';
import { faultOf } from './book-builder.ts';
import { purchaseText } from './check-purchases.ts';

/** Compares the rewards of one purchase with what they should be, as a settlement does, and writes nothing. */

export const checkPurchaseStores = loadBookStores;
export type CheckDeps = Deps<typeof checkPurchaseStores>;

/**
 * Finds the moves of a purchase that have been due for longer than a settlement may take, and a head that differs from
 * the money that is left. No violations are: moves that wait for a program's answer or that a program rejected, what an
 * operator reversed, what a policy keeps, and what limits left no room for.
 *
 * A purchase that an earlier release wrote is left out: its next report settles it.
 */
export async function checkPurchase(report: PurchaseReport, deps: CheckDeps): Promise<Mismatch[]> {
  try {
    const read = await loadBook(report, deps);
    const book = { ...read, statements: await read.withRefunds() };
    const { stored } = book;
    const isOlder = isOfEarlierForm(stored) || stored.isOfUnknownAmount === true;
    return isOlder || isFresh(book, deps.now()) ? [] : await differencesOf(book, deps);
  } catch (error) {
    if (isOfTheTable(error)) throw error;
    return [{ ...subjectOf(report.key, null), what: 'its book', found: faultOf(error), expected: 'readable' }];
  }
}

/** Whether DynamoDB failed, and not the content of an item. */
const isOfTheTable = (error: unknown): boolean =>
  error instanceof ContentionError || '$metadata' in Object(error) || 'code' in Object(error);

const subjectOf = (key: PurchaseReport['key'], userId: number | null): Pick<Mismatch, 'subject' | 'userId'> => ({
  subject: purchaseText(key),
  userId,
});

/** Whether anything of a purchase changed so recently that its settlement may not be over. */
function isFresh({ stored, order, payments, claims, transactions, statements }: Book, now: Date): boolean {
  const merchant = [...(statements.order ? [statements.order] : []), ...statements.claims, ...statements.redemptions];
  const times = [
    ...[stored, order, ...payments.map(({ payment }) => payment), ...transactions].map((one) => one?.updatedAt),
    ...claims.map(({ spentAt, issuedAt }) => spentAt ?? issuedAt),
    ...merchant.flatMap(({ refunds }) => refunds.map(({ receivedAt }) => receivedAt)),
  ];
  return times.some((at) => at !== undefined && now.getTime() - Date.parse(at) < timingMs.toleratedPending);
}

async function differencesOf(book: Book, deps: CheckDeps): Promise<Mismatch[]> {
  const { purchase, claims, joining } = book;
  const about = subjectOf(purchase, claims[0]?.userId ?? purchase.spent?.userId ?? null);
  const report = (what: string, found: Mismatch['found'], expected: Mismatch['expected']) =>
    unequal(about.subject, about.userId, { [what]: [found, expected] });
  const leaving = await findLeaving(book, deps);
  if (leaving.length > 0) return report('purchases that its payments belong to by now', leaving.join(' '), 'none');
  if (joining.length > 0) return report('keys of its payments that have not joined it', joining.join(' '), 'none');

  const found = await findDifferences(book, deps);
  const due = await Promise.all(found.unsettled.map((target) => dueOf(target, { book, ...found }, deps)));
  return [
    ...due
      .flat()
      .flatMap(({ unit, original, stands, expected }) =>
        report(
          `${unit} of transaction ${original.id} (${original.type}), ${storyOf(book, original.campaignId)}`,
          stands,
          expected,
        ),
      ),
    ...found.growth
      .filter((one) => !isWaiting(one, book))
      .flatMap(({ campaignId, growth }) =>
        (['points', 'cashbackCents'] as const).flatMap((amount) =>
          report(
            `${units[amount]} of campaign ${campaignId} without a transaction, ${storyOf(book, campaignId)}`,
            growth[amount],
            0,
          ),
        ),
      ),
    ...headDifference(book, report),
  ];
}

/**
 * The purchases that payments of this one name by now, although they have not joined them. The head may name a payment
 * that became part of another payment of this purchase.
 */
async function findLeaving({ stored, payments }: Book, deps: CheckDeps): Promise<string[]> {
  const own = new Set(payments.map(({ payment }) => payment.uuid));
  const others = await deps.payments.findAll(stored.paymentUuids.filter((uuid) => !own.has(uuid)));
  return others.filter(({ uuid }) => !own.has(uuid)).map(purchaseIdOf);
}

/** Whether growth waits until the program has answered for a restoration of the same event. */
const isWaiting = ({ growth }: CampaignGrowth, { transactions }: Book): boolean =>
  countOfEvent(growth, rewardsOfEvent(growth, transactions)).kind === 'returning';

const units = { points: 'points', cashbackCents: 'cents of cashback' } as const;

/** `bought 10000 cents, 5000 of them gone` */
function storyOf({ statements }: Book, campaignId: number): string {
  const bought = moneyBought(statements, campaignId);
  return `bought ${bought} cents, ${bought - moneyLeft(statements, campaignId)} of them gone`;
}

/** What stands of a transaction, and what should stand. Empty if it need not move now. */
async function dueOf(
  target: Target,
  { book, decisions }: Pick<Differences, 'decisions'> & { readonly book: Book },
  { partnerships }: CheckDeps,
) {
  const { original } = target;
  // Earlier releases did not record the statements of a move.
  const isUnchanged = original.refunds?.movedFor === undefined && book.stored.stated === book.stated;
  if (isRefused(target, book) || (original.refunds?.isRefused && isUnchanged)) return [];
  const partnership = await partnerships.find(original.partnershipUuid);
  if (!partnership) throw new Error(`there is no partnership ${original.partnershipUuid}`);
  const { reversalPolicy: policy } = partnership;
  const inTime = policy === 'only_pending' ? inTimeTarget(original, book, decisions) : target;
  const change = changeDue({ original, policy, target, inTime });
  if (change === undefined || change === 'wait') return [];
  const [stands, sign] = [standingOf(original), change.isRestoration ? 1 : -1];
  return (['points', 'cashbackCents'] as const).map((amount) => ({
    ...{ unit: units[amount], original, stands: stands[amount] },
    expected: stands[amount] + sign * change[amount],
  }));
}

/** Compares the money of the head with the money that is left. The invariants compare it with what is counted as spend. */
function headDifference(
  { stored, statements }: Book,
  report: (what: string, found: number, expected: number) => Mismatch[],
): Mismatch[] {
  if (!stored.spent && stored.netCents === undefined) return [];
  return report('money of its head (cents)', stored.netCents ?? netSpendCents(stored), moneyLeft(statements));
}
