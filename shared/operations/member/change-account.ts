import {
  type AccountValues,
  type Closing,
  decideChange,
  decideClosing,
  type ProgramAccount,
} from '../../domain/connect/program-account.ts';
import { linkedHolder, type Move, namedHolder } from '../../domain/ledger/manual-adjustment.ts';
import type { Membership } from '../../domain/member/member.ts';
import { adjustmentWrites, unchangedCheck } from '../../store/ledger/ledger.ts';
import type { Approval } from '../../store/ledger/manual-adjustments.ts';
import { holderWrite } from '../../store/member/members.ts';
import { accountChangeWrites, isPinOf } from '../../store/member/program-accounts.ts';
import { ChangedMeanwhileError } from '../errors.ts';
import { approveMove, countMove } from '../move-points.ts';
import { type Author, type Confirmable, writeAudited } from '../write-audited.ts';
import {
  type AccountReference,
  accountNotFound,
  accountSubject,
  differenceTexts,
  findHostedProgram,
  hashedPin,
  loadAccount,
  type ProgramAccountDeps,
  refusalOf,
} from './program-accounts.ts';

/** The new values of an account; absent values stay. */
export interface AccountChange extends AccountReference {
  readonly values: Partial<AccountValues>;
  readonly pin?: string | undefined;
}

/**
 * Changes an account of a hosted program. If the account has a member, names and tier also change in the membership. A
 * new PIN ends the lock after wrong proofs.
 *
 * @returns the account, and whether this call changed it
 * @throws UnusableAccountError when the account is closed, or when its opening balance would change after the first
 * link
 * @throws SecondPersonNeededError when another operator has to approve the opening balance first
 * @throws ChangedMeanwhileError when the account was changed or linked meanwhile
 */
export async function changeProgramAccount(
  { values: wanted, pin, ...reference }: AccountChange,
  deps: ProgramAccountDeps,
): Promise<{ readonly account: ProgramAccount; readonly isChanged: boolean }> {
  const { account, membership } = await findStored(reference, deps);
  const values = decideChange(account, membership, wanted);
  if ('refused' in values) throw refusalOf(values.refused, account);
  const isSamePin = pin === undefined || (await isPinOf(account, pin));
  const names = [...differenceTexts(account, values), ...(isSamePin ? [] : ['PIN'])];
  if (names.length === 0) return { account, isChanged: false };

  const { partnerId, memberId } = account;
  const { email: _email, openingPoints: _points, ...holder } = values;
  const counting = await countMove(openingChangeOf(account, values), deps);
  const set = { ...values, ...(!isSamePin && (await hashedPin(pin, deps))) };
  await writeAudited(
    {
      what: `changed ${names.join(', ')} of account ${memberId} of organisation ${partnerId}`,
      change: { before: audited(account), after: audited({ ...account, ...set }) },
      writes: [
        ...accountChangeWrites(account, set),
        ...(membership && Object.keys(holder).length > 0 ? [holderWrite(membership, holder)] : []),
        ...counting,
      ],
      conflict: () => new ChangedMeanwhileError(accountSubject(memberId)),
    },
    deps,
  );
  if (!isSamePin) await deps.proofCounters.reset({ kind: 'account', partnerId, memberId });
  return { account: { ...account, ...set }, isChanged: true };
}

/**
 * The change of an opening balance, for the rule of two persons. No member is linked to the account, so the holder
 * is the person whose name the account has after the change.
 */
function openingChangeOf(account: ProgramAccount, values: Partial<AccountValues>): Move {
  const { partnerId, memberId, openingPoints: from } = account;
  const { openingPoints: to, ...holder } = { ...account, ...values };
  return { changes: [{ partnerId, memberId, holder: namedHolder(holder), from, to }] };
}

/** The points that an account loses when it is closed. */
function writeOffOf(account: ProgramAccount, membership: Membership | undefined, closing: Closing): Move {
  const { partnerId, memberId } = account;
  const holder = membership ? linkedHolder(membership.userId) : namedHolder(account);
  return { changes: [{ partnerId, memberId, holder, from: closing.bookedPoints + closing.unbookedPoints, to: 0 }] };
}

/**
 * Approves that another operator changes the opening balance of an account, or closes the account and writes off its
 * points.
 *
 * @param values the values to change to; undefined to close the account
 * @throws NothingToApproveError, UnusableAccountError, NotFoundError
 */
export async function approveAccountChange(
  reference: AccountReference,
  values: Partial<AccountValues> | undefined,
  deps: ProgramAccountDeps & { readonly author: Author },
): Promise<Approval> {
  const { account, ...known } = await findStored(reference, deps);
  if (values) return approveMove(openingChangeOf(account, values), deps);
  const closing = decideClosing({ account, ...known }, { writesOff: true });
  if ('refused' in closing) throw refusalOf(closing.refused, account);
  return approveMove(writeOffOf(account, known.membership, closing), deps);
}

/** The values for the audit trail. The audit trail is never deleted, so they contain no names and no e-mail address. */
const audited = ({ statusTierId, openingPoints, closedAt }: ProgramAccount) => ({
  ...{ statusTierId, openingPoints, closedAt: closedAt ?? null },
});

/** The account to close. */
export interface ClosingOrder extends AccountReference, Confirmable<Closing> {
  /** Whether its points are given up. */
  readonly writesOff: boolean;
}

/**
 * Closes an account of a hosted program for good. Drops the points of its opening balance that are not in the ledger
 * yet. An adjustment takes the other points from the balance.
 *
 * @throws UnusableAccountError when a merchant uses the account, points are held, or points are left and not written
 * off
 * @throws SecondPersonNeededError when another operator has to approve the write-off first
 * @throws ChangedMeanwhileError when the account or its points changed meanwhile
 */
export async function closeProgramAccount(order: ClosingOrder, deps: ProgramAccountDeps): Promise<Closing> {
  const { account, ...known } = await findStored(order, deps);
  const closing = decideClosing({ account, ...known }, order);
  if ('refused' in closing) throw refusalOf(closing.refused, account);
  const counting = await countMove(writeOffOf(account, known.membership, closing), deps);
  await order.confirm?.(closing);

  const now = deps.now();
  const { memberId, closedAt = now.toISOString() } = account;
  const set = { closedAt, openingPoints: account.openingPoints - closing.unbookedPoints };
  const { membership } = known;
  const points = 0 - closing.bookedPoints;
  await writeAudited(
    {
      what: `closed account ${memberId} of organisation ${account.partnerId}`,
      change: {
        before: { ...audited(account), balance: membership?.availablePoints ?? null },
        after: { ...audited({ ...account, ...set }), balance: membership ? 0 : null },
      },
      writes: [
        ...accountChangeWrites(account, set),
        ...(membership && points !== 0 ? adjustmentWrites({ membership, points, ids: deps.nextIds() }, now) : []),
        ...(membership && points === 0 ? [unchangedCheck(membership)] : []),
        ...counting,
      ],
      conflict: () => new ChangedMeanwhileError(accountSubject(memberId)),
    },
    deps,
  );
  return closing;
}

/** Finds the stored account that a command names. @throws NotFoundError when the platform stores no such account */
async function findStored(reference: AccountReference, deps: ProgramAccountDeps) {
  const partner = await findHostedProgram(reference.program, deps);
  const known = await loadAccount(partner, reference.account, deps);
  const { account } = known;
  if (account) return { ...known, account };
  throw accountNotFound(partner, reference.account);
}
