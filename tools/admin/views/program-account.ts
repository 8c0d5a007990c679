import type { ProgramAccount } from '../../../shared/domain/connect/program-account.ts';
import type { Membership } from '../../../shared/domain/member/member.ts';
import type { AccountPage, KnownAccount } from '../../../shared/operations/member/program-accounts.ts';
import type { Report } from '../cli/cli.ts';
import { count, facts, listed, paragraphs } from '../cli/text.ts';
import { viewOf } from '../cli/view.ts';

/** Reports about the accounts of programs. PINs and their hashes are in no report. */

/** An account as the platform stores it; the name is that of the program. */
const storedView = viewOf<ProgramAccount, { readonly program?: string }>()(
  {
    account: { head: 'account', json: ({ memberId }) => memberId },
    program: { head: 'program', json: null, cell: (_, { program }) => program },
    state: { head: 'state', json: null, cell: stateOf },
    holder: { head: 'holder', json: null, cell: ({ firstName, lastName }) => `${firstName} ${lastName}` },
    firstName: {},
    lastName: {},
    email: { head: 'e-mail' },
    statusTierId: { head: 'tier' },
    hasPin: { head: 'PIN', json: ({ pinHash }) => pinHash !== undefined },
    openingPoints: { head: 'opening balance', as: count },
    opening: { json: null, cell: ({ openingPoints }) => count(openingPoints) },
    bookedAt: {},
    closedAt: {},
  },
  ['account', 'holder', 'email', 'statusTierId', 'opening', 'hasPin', 'state'],
);

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
  const program = partner.name;
  if (account) return storedView.facts(account, { program });
  return facts({ account: memberId, program, state: 'the platform stores no data of it' });
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
  const { json, text } = storedView.list(accounts, { name: 'accounts', none: `${partner.name} has no accounts.` }, {});
  const more = hasMore ? [`There are more accounts: give --after ${accounts.at(-1)?.memberId}.`] : [];
  return { json: { ...json, hasMore }, text: paragraphs(text, ...more) };
}

function stateOf({ closedAt, bookedAt }: ProgramAccount): string {
  if (closedAt !== undefined) return 'closed';
  return bookedAt === undefined ? 'not linked yet' : 'linked';
}
