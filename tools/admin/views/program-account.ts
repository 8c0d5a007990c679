import type { ProgramAccount } from '../../../shared/domain/connect/program-account.ts';
import type { Membership } from '../../../shared/domain/member/member.ts';
import type { AccountPage, KnownAccount } from '../../../shared/operations/member/program-accounts.ts';
import type { Report } from '../cli/cli.ts';
import { count, facts, listed, paragraphs, table } from '../cli/text.ts';

/** Reports about the accounts of programs. PINs and their hashes are in no report. */

function storedView(account: ProgramAccount) {
  const { memberId, firstName, lastName, email, statusTierId, openingPoints, pinHash, bookedAt, closedAt } = account;
  return {
    ...{ account: memberId, firstName, lastName, email, statusTierId, openingPoints },
    ...{ hasPin: pinHash !== undefined, bookedAt: bookedAt ?? null, closedAt: closedAt ?? null },
  };
}

/** One program account, with its member and its points in the books. */
export function accountReport(known: KnownAccount): Report {
  const { partner, memberId, account, member, membership, merchantIds } = known;
  return {
    json: {
      partnerId: partner.id,
      account: memberId,
      stored: account ? storedView(account) : null,
      memberId: member?.user.id ?? null,
      mergedInto: mergedInto(known) ?? null,
      statusTierId: (membership ?? account)?.statusTierId ?? null,
      balance: membership ? balanceOf(membership) : null,
      merchantIds,
    },
    text: paragraphs(storedFacts(known), bookedFacts(known)),
  };
}

/**
 * Returns the account that has the points now, if it is not the requested account: a merge of two members closed the
 * requested one.
 */
const mergedInto = ({ memberId, membership }: KnownAccount): string | undefined =>
  membership && membership.externalId !== memberId ? membership.externalId : undefined;

const balanceOf = ({ availablePoints, heldPoints }: Membership) => availablePoints + heldPoints;

function storedFacts({ partner, memberId, account }: KnownAccount): string {
  const place = { account: memberId, program: partner.name };
  if (!account) return facts({ ...place, state: 'the platform stores no data of it' });
  const { firstName, lastName, email, statusTierId, openingPoints, pinHash } = account;
  return facts({
    ...place,
    state: stateOf(account),
    holder: `${firstName} ${lastName}`,
    'e-mail': email,
    tier: statusTierId,
    PIN: pinHash !== undefined,
    'opening balance': count(openingPoints),
  });
}

function bookedFacts(known: KnownAccount): string {
  const { member, membership, merchantIds } = known;
  if (!member || !membership) return 'No member has linked it.';
  const kept = mergedInto(known);
  const merge =
    kept === undefined
      ? []
      : [`Its member was merged into member ${member.user.id}. What follows is account ${kept}, which has the points.`];
  const booked = facts({
    member: member.user.id,
    tier: membership.statusTierId,
    balance: count(balanceOf(membership)),
    'used at merchants': merchantIds.length > 0 ? listed(merchantIds.map(String)) : null,
  });
  return paragraphs(...merge, booked);
}

/** One page of the accounts of a program. */
export function accountsReport({ partner, accounts, hasMore }: AccountPage): Report {
  const rows = accounts.map((one) => [
    one.memberId,
    `${one.firstName} ${one.lastName}`,
    one.email,
    one.statusTierId,
    count(one.openingPoints),
    one.pinHash !== undefined,
    stateOf(one),
  ]);
  const shown =
    rows.length > 0
      ? table(['account', 'holder', 'e-mail', 'tier', 'opening', 'PIN', 'state'], rows)
      : `${partner.name} has no accounts.`;
  const last = accounts.at(-1)?.memberId;
  return {
    json: { accounts: accounts.map(storedView), hasMore },
    text: hasMore ? paragraphs(shown, `There are more accounts: give --after ${last}.`) : shown,
  };
}

function stateOf({ closedAt, bookedAt }: ProgramAccount): string {
  if (closedAt !== undefined) return 'closed';
  return bookedAt === undefined ? 'not linked yet' : 'linked';
}
