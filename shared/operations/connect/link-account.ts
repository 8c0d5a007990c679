import { validityMs } from '../../contracts/limits.ts';
import { type ConnectSession, isLinkable, returnUri } from '../../domain/connect/connect-session.ts';
import { decideLink, type ProvenAccount } from '../../domain/connect/decide-link.ts';
import { plainError } from '../../domain/errors.ts';
import type { Member } from '../../domain/member/member.ts';
import type { Partnership } from '../../domain/partnership.ts';
import { ProgramUnavailableError } from '../../programs/program.ts';
import { Programs } from '../../programs/programs.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { ConnectSessions } from '../../store/connect/connect.ts';
import { digestOf } from '../../store/credential/credentials.ts';
import { Members } from '../../store/member/members.ts';
import { ProgramAccounts } from '../../store/member/program-accounts.ts';
import { Organisations } from '../../store/organisation/organisations.ts';
import type { Deps } from '../operation.ts';
import { newLinkIds } from './commit-link.ts';
import {
  checkProof,
  claimAttempts,
  endCount,
  proveAccountStores,
  readCounters,
  VerificationFailedError,
} from './prove-account.ts';
import { newSecret } from './user-tokens.ts';

export const linkAccountStores = {
  partnerships: Partnerships,
  connectSessions: ConnectSessions,
  members: Members,
  organisations: Organisations,
  programAccounts: ProgramAccounts,
  programs: Programs,
  ...proveAccountStores,
};
type LinkDeps = Deps<typeof linkAccountStores>;

/** The account that a person names, and its proof. */
export interface LinkRequest {
  readonly partnerId: number;
  /** The account's id in the loyalty program. */
  readonly memberId: string;
  /** A PIN, password or one-time code. */
  readonly proof: string;
  /** The address that the request came from. */
  readonly address: string;
}

/** The code for the token endpoint, and the URL to which the person returns. */
export interface OfferedAccount {
  /** The session's redirect URI with the code and the state; null when the session has no redirect URI. */
  readonly redirectUri: string | null;
  readonly code: string;
  readonly state: string | null;
}

/** The session's merchant has no active partnership with the program. */
export class PartnerNotLinkableError extends plainError(
  'PartnerNotLinkableError',
  'This program cannot be linked here',
) {}

/** The account belongs to another member, or the customer has a different account. */
export class AccountAlreadyLinkedError extends plainError(
  'AccountAlreadyLinkedError',
  'The account, or the customer, is linked to another one already',
) {}

/** Whether the person may try again in the same session, with another account or the right proof. */
export const isTryAgain = (error: unknown): error is Error =>
  error instanceof PartnerNotLinkableError ||
  error instanceof VerificationFailedError ||
  error instanceof AccountAlreadyLinkedError ||
  error instanceof ProgramUnavailableError;

/** The session was used, has no attempts left, or lost a race with another request. */
export class ConnectSessionClosedError extends plainError(
  'ConnectSessionClosedError',
  'The connect token has expired or was used',
) {}

/**
 * Checks the proof of a person's account and offers the account to the session's merchant: issues a code for the token
 * endpoint. The account is linked later, when the merchant exchanges the code. Before the exchange, the merchant
 * compares `state` with the state in the session of the person's browser. In the exchange, the merchant sends the code
 * verifier of the same session.
 *
 * Takes three round trips: one reads the data and counts the session's attempt; one counts the attempt for account
 * number, customer, merchant and address; one writes. An account that is linked already takes one more.
 *
 * @throws PartnerNotLinkableError, VerificationFailedError, AccountAlreadyLinkedError, ConnectSessionClosedError
 * @throws TooManyAttemptsError after too many wrong proofs in the customer's sessions or from the address
 */
export async function linkAccount(
  session: ConnectSession,
  request: LinkRequest,
  deps: LinkDeps,
): Promise<OfferedAccount> {
  const { organisationId } = session;
  const { partnerId, memberId } = request;
  const { externalId } = session.user;
  const [isClaimed, counted, partnerships, partner, hostedAccount, holderId, customerId] = await Promise.all([
    // The session's own attempt is counted before the attempt for the account number. So one session can use up
    // attempts of at most five account numbers.
    deps.connectSessions.claimAttempt(session),
    readCounters({ ...request, organisationId, customerId: externalId }, deps),
    deps.partnerships.of('byMerchant', organisationId),
    deps.organisations.find(partnerId),
    deps.programAccounts.find(partnerId, memberId),
    deps.members.findUserId(partnerId, memberId),
    externalId === undefined ? undefined : deps.members.findUserId(organisationId, externalId),
  ]);
  if (!isClaimed) throw new ConnectSessionClosedError();
  if (!partnerships.some((one) => one.partnerId === partnerId && isLinkable(one, session))) {
    throw new PartnerNotLinkableError();
  }

  // The member who holds the account is read only after the proof. So a request with a wrong proof takes the same time,
  // whether or not the account is linked.
  const [attempts, customer] = await Promise.all([claimAttempts(counted, deps), findMember(customerId, deps)]);
  const program = deps.programs.of(partnerId, partner);
  const account = await checkProof(attempts, () => program.verify(request, hostedAccount), deps);

  // If the counters are not reset, the only effect is that the next lock comes sooner. So this failure does not
  // prevent the offer.
  const [offered] = await Promise.allSettled([
    offer({ session, account, customer, holderId }, deps),
    endCount(attempts, deps),
  ]);
  if (offered.status === 'rejected') throw offered.reason;
  return offered.value;
}

async function findMember(userId: number | undefined, { members }: LinkDeps): Promise<Member | undefined> {
  return userId === undefined ? undefined : members.find(userId);
}

/** A proven account, with the data that may forbid its link. */
interface ProvenOffer {
  readonly session: ConnectSession;
  readonly account: ProvenAccount;
  /** The merchant's customer that the session names. */
  readonly customer: Member | undefined;
  /** The user to whom the account is linked. */
  readonly holderId: number | undefined;
}

async function offer(proven: ProvenOffer, deps: LinkDeps): Promise<OfferedAccount> {
  const { session, account, customer, holderId } = proven;
  const now = deps.now();
  const at = now.toISOString();
  const byAccount = holderId === customer?.user.id ? customer : await findMember(holderId, deps);
  // The exchange decides again. A customer who was found only by e-mail address is never a reason to refuse.
  const known = { byAccount, byExternalId: customer, byEmail: undefined };
  const link = decideLink(session, account, known, { ids: newLinkIds(deps), at, offeredAt: at });
  if ('refused' in link) throw new AccountAlreadyLinkedError();

  const code = newSecret(deps, 'authorizationCode');
  const { organisationId, redirectUri, codeChallenge, partnershipUuid, user } = session;
  const isOffered = await deps.connectSessions.offer(session, {
    kind: 'authorizationCode',
    digest: digestOf(code),
    organisationId,
    grantId: deps.nextUuid(),
    redirectUri,
    codeChallenge,
    offer: { account, user, partnershipUuid },
    isRevoked: false,
    createdAt: at,
    expiresAt: new Date(now.getTime() + validityMs.authorizationCode).toISOString(),
  });
  if (!isOffered) throw new ConnectSessionClosedError();
  return { redirectUri: returnUri(session, { code }), code, state: session.state };
}

export const listLinkableStores = { partnerships: Partnerships, organisations: Organisations };

/** The merchant of a connect session, and the partnerships whose programs may be linked. */
export interface LinkablePrograms {
  readonly merchantName: string;
  readonly partnerships: readonly Partnership[];
  /** The URI for a person who goes back without linking an account; null when the session has no redirect URI. */
  readonly cancelUri: string | null;
}

/** Lists the programs that a connect session may link. */
export async function listLinkable(
  session: ConnectSession,
  { partnerships, organisations }: Deps<typeof listLinkableStores>,
): Promise<LinkablePrograms> {
  const [merchant, own] = await Promise.all([
    organisations.find(session.organisationId),
    partnerships.of('byMerchant', session.organisationId),
  ]);
  return {
    merchantName: merchant?.name ?? '',
    cancelUri: returnUri(session, { error: 'access_denied' }),
    partnerships: own.filter((one) => isLinkable(one, session)),
  };
}
