import { maximumCount } from '../../contracts/limits.ts';
import type { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import { giftTo, type Move } from '../../domain/ledger/manual-adjustment.ts';
import { findPayees, type Payout, PayoutBatch, type PayoutState, unpaidCents } from '../../domain/ledger/payout.ts';
import type { Membership } from '../../domain/member/member.ts';
import type { Partnership } from '../../domain/partnership.ts';
import { Ledger } from '../../store/ledger/ledger.ts';
import type { Approval } from '../../store/ledger/manual-adjustments.ts';
import {
  Payouts,
  payoutBatchWrites,
  payoutReturnWrites,
  payoutStateWrite,
  payoutWrites,
} from '../../store/ledger/payouts.ts';
import { Members } from '../../store/member/members.ts';
import {
  ConditionFailedError,
  ContentionError,
  type Item,
  ThrottledError,
  type Write,
} from '../../store/table/table-client.ts';
import { ChangedMeanwhileError, NotFoundError, OperationError, type Subject, subjectText } from '../errors.ts';
import { approveMove, countMove, movePointsStores } from '../move-points.ts';
import { decideAndWrite } from '../operation.ts';
import { findPartnership, managePartnershipStores, partnershipSubject } from '../partnership/manage-partnership.ts';
import { type AuditedDeps, type Author, type Confirmable, writeAudited } from '../write-audited.ts';

const payCashbackStores = {
  ...managePartnershipStores,
  ...movePointsStores,
  ledger: Ledger,
  members: Members,
  payouts: Payouts,
};
export type PayCashbackDeps = AuditedDeps<typeof payCashbackStores>;

/** The state of a batch does not allow the step. */
export class PayoutRefusedError extends OperationError {
  override readonly name = 'PayoutRefusedError';
  readonly batch: PayoutBatch;
  readonly step: 'export' | 'markPaid' | 'return' | 'begin';

  constructor(batch: PayoutBatch, step: PayoutRefusedError['step']) {
    super(`${subjectText(batchSubject(batch))} is ${batch.state}`);
    this.batch = batch;
    this.step = step;
  }
}

/** A batch with its payouts. */
export interface LoadedBatch {
  readonly batch: PayoutBatch;
  readonly payouts: readonly Payout[];
}

/** A batch after an export. */
export interface ExportedBatch extends LoadedBatch {
  /** Members who were left out: in every attempt, ledger and account did not agree, or one of the two changed. */
  readonly skipped: readonly number[];
}

/** What a batch is made from. */
export interface NewBatch {
  /** The UUID or exact name of the partnership. A deleted partnership is found only by its UUID. */
  readonly partnership: string;
  /** Members with less unpaid cashback than this are left out. The minimum is at least one cent. */
  readonly minimumCents: number;
  /** Reads the whole ledger. */
  readonly readLedger: () => Promise<readonly LedgerEntry[]>;
}

/**
 * Puts the unpaid cashback of a partnership into a new batch. If the process ends early, {@link continueExport} adds
 * the remaining members; until then the partnership gets no other batch.
 *
 * @returns undefined when no member has enough unpaid cashback; nothing is written then
 * @throws PayoutRefusedError when an export of the partnership was not finished
 * @throws NotFoundError
 */
export async function exportCashback(wanted: NewBatch, deps: PayCashbackDeps): Promise<ExportedBatch | undefined> {
  const partnership = await findPartnership(wanted.partnership, deps);
  await refuseUnfinished(partnership, deps);
  const batch = newBatch(partnership, wanted.minimumCents, deps);
  const payees = findPayees(await wanted.readLedger(), batch);
  if (payees.length === 0) return undefined;
  // Reading the ledger takes minutes: another operator may have begun a batch meanwhile.
  await refuseUnfinished(partnership, deps);
  await writeAudited(
    {
      what: `began ${subjectText(batchSubject(batch))} of ${subjectText(partnershipSubject(partnership))}`,
      change: { before: null, after: { state: batch.state, minimumCents: batch.minimumCents } },
      writes: payoutBatchWrites(batch),
      conflict: () => new ChangedMeanwhileError(batchSubject(batch)),
    },
    deps,
  );
  return fill(batch, payees, deps);
}

/** @throws PayoutRefusedError when an export or a return of the partnership was not finished */
async function refuseUnfinished({ uuid }: Partnership, { payouts }: PayCashbackDeps): Promise<void> {
  const batches = await payouts.of(uuid);
  const unfinished = batches.find(({ state }) => state === 'OPEN' || state === 'RETURNING');
  if (unfinished) throw new PayoutRefusedError(unfinished, 'begin');
}

function newBatch(
  { uuid: partnershipUuid, merchantId, partnerId }: Partnership,
  minimumCents: number,
  { nextIds, now }: PayCashbackDeps,
): PayoutBatch {
  const at = now().toISOString();
  const sides = { partnershipUuid, merchantId, partnerId };
  return PayoutBatch.parse({ ...nextIds(), ...sides, minimumCents, state: 'OPEN', createdAt: at, updatedAt: at });
}

/**
 * Adds the remaining members to a batch whose export was not finished. A complete batch is returned unchanged.
 *
 * @throws NotFoundError; PayoutRefusedError when the batch is being returned
 */
export async function continueExport(
  uuid: string,
  readLedger: NewBatch['readLedger'],
  deps: PayCashbackDeps,
): Promise<ExportedBatch> {
  const loaded = await loadBatch(uuid, deps);
  const { state } = loaded.batch;
  if (state === 'EXPORTED' || state === 'PAID') return { ...loaded, skipped: [] };
  if (state !== 'OPEN') throw new PayoutRefusedError(loaded.batch, 'export');
  return fill(loaded.batch, findPayees(await readLedger(), loaded.batch), deps);
}

/** Finds a batch with its payouts. @throws NotFoundError */
export async function loadBatch(uuid: string, { payouts }: Pick<PayCashbackDeps, 'payouts'>): Promise<LoadedBatch> {
  const batch = await payouts.find(uuid);
  if (!batch) throw new NotFoundError({ kind: 'payout batch', id: uuid });
  return { batch, payouts: await payouts.in(uuid) };
}

/** The batches of the partnership with this UUID or exact name, the oldest first. */
export async function listBatches(partnership: string, deps: PayCashbackDeps): Promise<PayoutBatch[]> {
  return deps.payouts.of((await findPartnership(partnership, deps)).uuid);
}

async function fill(batch: PayoutBatch, payees: readonly number[], deps: PayCashbackDeps): Promise<ExportedBatch> {
  const together = maximumCount.importedTogether;
  const skipped: number[] = [];
  const add = async (userId: number) => {
    if (!(await addPayee(batch, userId, deps))) skipped.push(userId);
  };
  for (let first = 0; first < payees.length; first += together) {
    const results = await Promise.allSettled(payees.slice(first, first + together).map(add));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
  return { ...(await moveTo(batch, 'EXPORTED', 'exported', deps)), skipped };
}

/** What the decision about one payee depends on. */
interface Payee {
  readonly isInBatch: boolean;
  readonly membership: Membership | undefined;
  readonly entries: readonly LedgerEntry[];
}

/**
 * Adds a member to a batch with the unpaid cashback of this moment, unless the member is in it already.
 *
 * @returns false when the ledger of the member did not fit the account in any attempt
 */
async function addPayee(batch: PayoutBatch, userId: number, deps: PayCashbackDeps): Promise<boolean> {
  const load = () => loadPayee(batch, userId, deps);
  const write = async ({ isInBatch, membership, entries }: Payee) => {
    if (isInBatch || !membership) return;
    if (!areComplete(entries, membership)) throw new ChangedMeanwhileError({ kind: 'member', id: userId });
    const cents = unpaidCents(entries, batch.partnershipUuid);
    if (cents < batch.minimumCents) return;
    const payout = { userId, partnerId: batch.partnerId, cents, isReturned: false };
    await deps.table.transact(payoutWrites(batch, payout, membership, deps.now()));
  };
  const conflicts = [ConditionFailedError, ChangedMeanwhileError];
  try {
    await decideAndWrite({ subject: `the cashback of user ${userId}`, load, write, conflicts }, deps);
    return true;
  } catch (error) {
    if (error instanceof ContentionError && !(error instanceof ThrottledError)) return false;
    throw error;
  }
}

async function loadPayee(batch: PayoutBatch, userId: number, deps: PayCashbackDeps): Promise<Payee> {
  const [present, isInBatch, entries] = await Promise.all([
    deps.payouts.find(batch.uuid),
    deps.payouts.contains(batch.uuid, userId),
    deps.ledger.entriesOf(userId, batch.partnerId),
  ]);
  if (present?.state !== 'OPEN') throw new PayoutRefusedError(present ?? batch, 'export');
  // Reads the account after its entries. The write requires that the account has not changed since this reading.
  return { isInBatch, entries, membership: await deps.members.findMembership(userId, batch.partnerId) };
}

/** Whether the entries are complete: their cashback and payouts add up to those of the account. */
function areComplete(entries: readonly LedgerEntry[], { cashbackCents, paidOutCents = 0 }: Membership): boolean {
  const awarded = entries.reduce((sum, entry) => sum + entry.cashbackCents, 0);
  const paidOut = entries.reduce((sum, { payout }) => sum + (payout?.cents ?? 0), 0);
  return awarded === cashbackCents && paidOut === paidOutCents;
}

/** A batch that an operator reports as paid. */
export interface PaidBatch extends Confirmable<LoadedBatch> {
  readonly batch: string;
  /** The reference that the payer gave to the payment. */
  readonly reference: string;
}

/**
 * Marks a batch as paid. No money moves: the export has already subtracted the amounts from the unpaid cashback. A
 * batch that is paid already stays as it is.
 *
 * @throws NotFoundError, ChangedMeanwhileError; PayoutRefusedError when the batch is not exported, or was paid with
 * another reference
 */
export async function markPaid(
  { batch: uuid, reference, confirm }: PaidBatch,
  deps: PayCashbackDeps,
): Promise<LoadedBatch> {
  const loaded = await loadBatch(uuid, deps);
  const { batch } = loaded;
  if (batch.state === 'PAID' && batch.reference === reference) return loaded;
  if (batch.state !== 'EXPORTED') throw new PayoutRefusedError(batch, 'markPaid');
  await confirm?.(loaded);
  return moveTo(batch, 'PAID', 'marked as paid', deps, reference);
}

/** Payouts that did not reach their members. */
export interface ReturnedPayouts extends Confirmable<LoadedBatch> {
  readonly batch: string;
  /**
   * Returns only this member's payout, even of a paid batch. Absent: returns the whole batch, which then cannot be paid
   * any more.
   */
  readonly userId?: number | undefined;
}

/**
 * Returns payouts to the unpaid cashback, so that a later batch contains them. Each payout is returned once. A
 * repetition continues where the earlier run ended.
 *
 * A payout of a paid batch would be paid a second time, so its return has the rule of two persons.
 *
 * @throws NotFoundError, ChangedMeanwhileError; PayoutRefusedError when a paid batch would be returned as a whole
 * @throws SecondPersonNeededError
 */
export async function returnPayouts(
  { batch: uuid, userId, confirm }: ReturnedPayouts,
  deps: PayCashbackDeps,
): Promise<LoadedBatch> {
  const loaded = await loadBatch(uuid, deps);
  const { batch, payouts } = loaded;
  if (userId !== undefined) return returnOne(loaded, userId, confirm, deps);
  if (batch.state === 'RETURNED') return loaded;
  if (batch.state === 'PAID') throw new PayoutRefusedError(batch, 'return');
  await confirm?.(loaded);
  const returning = batch.state === 'RETURNING' ? loaded : await moveTo(batch, 'RETURNING', 'began to return', deps);
  // `returning` was read after the change of state, so it also contains members that an unfinished export added
  // meanwhile.
  for (const payout of returning.payouts) await returnPayout(returning.batch, payout, deps);
  return moveTo(returning.batch, 'RETURNED', `returned ${payouts.length} payouts of`, deps);
}

async function returnOne(
  loaded: LoadedBatch,
  userId: number,
  confirm: ReturnedPayouts['confirm'],
  deps: PayCashbackDeps,
): Promise<LoadedBatch> {
  const { batch } = loaded;
  const payout = payoutOf(loaded, userId);
  if (payout.isReturned) return loaded;
  if (batch.state === 'OPEN') throw new PayoutRefusedError(batch, 'return');
  const counting = await countMove(moveOfReturn(batch, payout), deps);
  await confirm?.({ batch, payouts: [payout] });
  await returnPayout(batch, payout, deps, counting);
  return loadBatch(batch.uuid, deps);
}

/** Finds the payout of a member in a batch. @throws NotFoundError */
function payoutOf({ batch, payouts }: LoadedBatch, userId: number): Payout {
  const payout = payouts.find((one) => one.userId === userId);
  if (!payout) throw new NotFoundError({ kind: 'member', id: userId }, { within: batchSubject(batch) });
  return payout;
}

/** What the return of a payout gives to the member: nothing, unless the batch was paid. */
function moveOfReturn(batch: PayoutBatch, payout: Payout): Move {
  const isPaid = batch.state === 'PAID' && !payout.isReturned;
  return { changes: isPaid ? [giftTo(payout, { cents: payout.cents }, `return of payout ${batch.uuid}`)] : [] };
}

/**
 * Approves that another operator returns the payout of a member in a paid batch.
 *
 * @throws NothingToApproveError when the batch is not paid, or the payout was returned before
 * @throws NotFoundError
 */
export async function approveReturn(
  { batch: uuid, userId }: { readonly batch: string; readonly userId: number },
  deps: PayCashbackDeps & { readonly author: Author },
): Promise<Approval> {
  const loaded = await loadBatch(uuid, deps);
  return approveMove(moveOfReturn(loaded.batch, payoutOf(loaded, userId)), deps);
}

/** Returns one payout, unless it was returned before. */
async function returnPayout(
  batch: PayoutBatch,
  payout: Payout,
  deps: PayCashbackDeps,
  counting: readonly Write[] = [],
): Promise<void> {
  if (payout.isReturned) return;
  const { userId, cents } = payout;
  const subject = batchSubject(batch);
  const isDone = (found: Item | null) => found?.isReturned === true;
  try {
    await writeAudited(
      {
        what: `returned the payout of member ${userId} in ${subjectText(subject)}`,
        change: { before: { inBatchCents: cents }, after: { inBatchCents: 0 } },
        writes: [...payoutReturnWrites(batch, payout, deps.now()), ...counting],
        conflict: (found) => (isDone(found) ? new AlreadyReturnedError() : new ChangedMeanwhileError(subject)),
      },
      deps,
    );
  } catch (error) {
    if (!(error instanceof AlreadyReturnedError)) throw error;
  }
}

class AlreadyReturnedError extends Error {}

/** Moves a batch to another state, and reads it again with its payouts. */
async function moveTo(
  batch: PayoutBatch,
  next: PayoutState,
  done: string,
  deps: PayCashbackDeps,
  reference?: string,
): Promise<LoadedBatch> {
  const subject = batchSubject(batch);
  const set = { updatedAt: deps.now().toISOString(), ...(reference !== undefined && { reference }) };
  await writeAudited(
    {
      what: `${done} ${subjectText(subject)}`,
      change: { before: { state: batch.state }, after: { ...set, state: next } },
      writes: [payoutStateWrite(batch, next, set)],
      conflict: () => new ChangedMeanwhileError(subject),
    },
    deps,
  );
  return loadBatch(batch.uuid, deps);
}

const batchSubject = ({ uuid }: PayoutBatch): Subject => ({ kind: 'payout batch', id: uuid });
