import { validityMs } from '../contracts/limits.ts';
import { type Campaign, isRunning } from '../domain/campaign/document/campaign.ts';
import { type ConnectSession, isLinkable } from '../domain/connect/connect-session.ts';
import { decideLink, type KnownMembers, type LinkIds, type ProvenAccount } from '../domain/connect/decide-link.ts';
import { plainError } from '../domain/errors.ts';
import type { CampaignReference } from '../domain/ledger/ledger-entry.ts';
import type { Member } from '../domain/member/member.ts';
import type { Partnership } from '../domain/partnership.ts';
import { ProgramUnavailableError } from '../programs/program.ts';
import { Programs } from '../programs/programs.ts';
import { Campaigns } from '../store/campaign/campaigns.ts';
import { ConnectSessions, Links } from '../store/connect/connect.ts';
import { digestOf } from '../store/credential/credentials.ts';
import { Members } from '../store/member/members.ts';
import { ProgramAccounts } from '../store/member/program-accounts.ts';
import { Organisations } from '../store/organisation/organisations.ts';
import type { Deps } from './operation.ts';
import { newSecret } from './user-tokens.ts';

export const linkAccountStores = {
  campaigns: Campaigns,
  connectSessions: ConnectSessions,
  links: Links,
  members: Members,
  organisations: Organisations,
  programAccounts: ProgramAccounts,
  programs: Programs,
};
type LinkDeps = Deps<typeof linkAccountStores>;

/** The account that a person names, and its proof. */
export interface LinkRequest {
  readonly partnerId: number;
  /** The account's id in the loyalty program. */
  readonly memberId: string;
  /** A PIN, password or one-time code. */
  readonly proof: string;
}

/** The code for the token endpoint, and the place to send the person to. */
export interface LinkedAccount {
  /** With the code and the state in it; null when the merchant has registered none. */
  readonly redirectUri: string | null;
  readonly code: string;
  readonly state: string | null;
}

/** The session's merchant has no active partnership with the program. */
export class PartnerNotLinkableError extends plainError(
  'PartnerNotLinkableError',
  'This program cannot be linked here',
) {}

/** The proof is wrong, or the account is unknown or locked. The caller does not learn which. */
export class VerificationFailedError extends plainError(
  'VerificationFailedError',
  'The program does not know this account by this proof',
) {}

/** The account belongs to another member, or the customer has another account. */
export class AccountAlreadyLinkedError extends plainError(
  'AccountAlreadyLinkedError',
  'The account, or the customer, is linked to another one already',
) {}

/** Whether the person may try again with the same session, after another choice or a right proof. */
export const isTryAgain = (error: unknown): error is Error =>
  error instanceof PartnerNotLinkableError ||
  error instanceof VerificationFailedError ||
  error instanceof AccountAlreadyLinkedError ||
  error instanceof ProgramUnavailableError;

/** The session was used, has no attempts left, or lost a race with another link. */
export class ConnectSessionClosedError extends plainError(
  'ConnectSessionClosedError',
  'The connect token has expired or was used',
) {}

/**
 * Links the account that a person proves to hold to a member, and issues a code for the token endpoint.
 *
 * Takes three round trips one after the other: reads, claims with the reads that depend on the first ones, and
 * one write. It takes two more only when nothing leads to a member but an e-mail that the merchant did not send.
 *
 * @throws PartnerNotLinkableError, VerificationFailedError, AccountAlreadyLinkedError, ConnectSessionClosedError
 */
export async function linkAccount(
  session: ConnectSession,
  request: LinkRequest,
  deps: LinkDeps,
): Promise<LinkedAccount> {
  const { organisationId, user } = session;
  const { partnerId, memberId, proof } = request;
  const now = deps.now();
  const [{ campaigns, partnerships }, partner, hostedAccount, ...userIds] = await Promise.all([
    deps.campaigns.offeredBy(organisationId, now),
    deps.organisations.find(partnerId),
    deps.programAccounts.find(partnerId, memberId),
    deps.members.findUserId(partnerId, memberId),
    user.externalId === undefined ? undefined : deps.members.findUserId(organisationId, user.externalId),
    user.email === undefined ? undefined : deps.links.findUserIdByEmail(organisationId, user.email),
  ]);
  const linkable = partnerships.filter((one) => one.partnerId === partnerId && isLinkable(one, session));
  if (linkable.length === 0) throw new PartnerNotLinkableError();

  const attempt = deps.programs.of(partnerId, partner).startProof(memberId, hostedAccount);
  // Both attempts are counted before the proof is checked, so parallel guesses count as well.
  const [isSessionClaimed, isAttemptClaimed, byAccount, byExternalId, bySentEmail] = await Promise.all([
    deps.connectSessions.claimAttempt(session),
    attempt.claim(),
    ...userIds.map((userId) => findMember(userId, deps)),
  ]);
  if (!isSessionClaimed) throw new ConnectSessionClosedError();
  const account = await attempt.check(proof);
  if (!account || !isAttemptClaimed) throw new VerificationFailedError();

  const byEmail = byAccount || byExternalId ? undefined : await findByEmail(account, { session, bySentEmail }, deps);
  // A count that is not reset only makes a lock come earlier: it must not hide a written link.
  const [linked] = await Promise.allSettled([
    writeLink(
      { session, account, known: { byAccount, byExternalId, byEmail }, campaigns, partnerships: linkable },
      deps,
    ),
    attempt.succeed(),
  ]);
  if (linked.status === 'rejected') throw linked.reason;
  return linked.value;
}

/** Finds the customer with the account's e-mail. The merchant usually sends the same one, so it is read already. */
async function findByEmail(
  { email }: ProvenAccount,
  { session, bySentEmail }: { readonly session: ConnectSession; readonly bySentEmail: Member | undefined },
  deps: LinkDeps,
): Promise<Member | undefined> {
  if (email === null) return undefined;
  if (email === session.user.email) return bySentEmail;
  return findMember(await deps.links.findUserIdByEmail(session.organisationId, email), deps);
}

async function findMember(userId: number | undefined, { members }: LinkDeps): Promise<Member | undefined> {
  return userId === undefined ? undefined : members.find(userId);
}

/** A proven account, with everything that the link depends on. */
interface ProvenLink {
  readonly session: ConnectSession;
  readonly account: ProvenAccount;
  readonly known: KnownMembers;
  readonly campaigns: readonly Campaign[];
  /** The partnerships that the account is linked under. */
  readonly partnerships: readonly Partnership[];
}

async function writeLink(proven: ProvenLink, deps: LinkDeps): Promise<LinkedAccount> {
  const { session, account, known } = proven;
  const now = deps.now();
  const at = now.toISOString();
  const link = decideLink(session, account, known, { ids: newIds(deps), at });
  if ('refused' in link) throw new AccountAlreadyLinkedError();

  const code = newSecret(deps, 'authorizationCode');
  const isWritten = await deps.links.write({
    session,
    account,
    link,
    registers: registeringCampaigns(proven, now),
    code: {
      kind: 'authorizationCode',
      digest: digestOf(code),
      organisationId: session.organisationId,
      userId: link.user.id,
      userUuid: link.user.uuid,
      grantId: deps.nextUuid(),
      redirectUri: session.redirectUri,
      codeChallenge: session.codeChallenge,
      isRevoked: false,
      createdAt: at,
      expiresAt: new Date(now.getTime() + validityMs.authorizationCode).toISOString(),
    },
    event: {
      id: deps.nextUuid(),
      name: 'user_partner_authentication_created',
      entityId: link.user.uuid,
      occurredAt: at,
      merchantId: session.organisationId,
      partnerId: account.partnerId,
    },
  });
  if (!isWritten) throw new ConnectSessionClosedError();
  return { redirectUri: withCode(session, code), code, state: session.state };
}

/** Connect-only campaigns award nothing: they count the accounts that are linked while they run. */
function registeringCampaigns({ campaigns, partnerships }: ProvenLink, now: Date): CampaignReference[] {
  const uuids = new Set(partnerships.map(({ uuid }) => uuid));
  return campaigns
    .filter(({ type, partnershipUuid }) => type === 'CONNECT_ONLY' && uuids.has(partnershipUuid))
    .filter((campaign) => isRunning(campaign, now))
    .map(({ id, partnershipUuid }) => ({ id, partnershipUuid }));
}

function newIds({ nextIds }: LinkDeps): LinkIds {
  return { user: nextIds(), membership: nextIds().id, association: nextIds().id };
}

function withCode({ redirectUri, state }: ConnectSession, code: string): string | null {
  if (redirectUri === null) return null;
  const url = new URL(redirectUri);
  url.searchParams.set('code', code);
  if (state !== null) url.searchParams.set('state', state);
  return url.href;
}

export const listLinkableStores = { campaigns: Campaigns, organisations: Organisations };

/** The merchant of a connect session, and the partnerships whose programs may be linked. */
export interface LinkablePrograms {
  readonly merchantName: string;
  readonly partnerships: readonly Partnership[];
}

/** Lists the programs that a connect session may link. */
export async function listLinkable(
  session: ConnectSession,
  { campaigns, organisations }: Deps<typeof listLinkableStores>,
): Promise<LinkablePrograms> {
  const [merchant, partnerships] = await Promise.all([
    organisations.find(session.organisationId),
    campaigns.partnershipsOf('byMerchant', session.organisationId),
  ]);
  return {
    merchantName: merchant?.name ?? '',
    partnerships: partnerships.filter((one) => isLinkable(one, session)),
  };
}
