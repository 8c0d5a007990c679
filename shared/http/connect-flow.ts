import { validityMs } from '../contracts/limits.ts';
import { type Campaign, isRunning } from '../domain/campaign/document/campaign.ts';
import type { ConnectSession } from '../domain/connect/connect-session.ts';
import { decideLink, type LinkIds, type ProvenAccount } from '../domain/connect/decide-link.ts';
import type { CampaignReference } from '../domain/ledger/ledger-entry.ts';
import type { Partnership } from '../domain/partnership.ts';
import { newSecret } from '../operations/user-tokens.ts';
import { programOf } from '../programs/program-of.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Campaigns } from '../store/campaign/campaigns.ts';
import type { ConnectSessions } from '../store/connect/connect-sessions.ts';
import type { Links } from '../store/connect/links.ts';
import { digestOf } from '../store/credential/secret-text.ts';
import type { ProgramAccounts } from '../store/member/program-accounts.ts';
import type { Organisations } from '../store/organisation/organisations.ts';
import { connectPage } from './connect-page.ts';
import type { Page } from './reply.ts';

/** The connect flow behind both its doors: the API and the page. */

/** What finding out what may be linked needs. */
type Listing = Runtime & { readonly campaigns: Campaigns; readonly organisations: Organisations };
/** What linking needs beside. */
type Linking = Listing & {
  readonly connectSessions: ConnectSessions;
  readonly links: Links;
  readonly programAccounts: ProgramAccounts;
};

/** The partnerships that a session may link: the one it names, or every active one of its merchant. */
export async function linkablePartnerships(
  session: ConnectSession,
  platform: Pick<Listing, 'campaigns'>,
): Promise<Partnership[]> {
  const all = await platform.campaigns.partnershipsOf('byMerchant', session.organisationId);
  return all.filter(
    ({ uuid, isActive }) => isActive && (session.partnershipUuid === null || uuid === session.partnershipUuid),
  );
}

/** What a person says: which program, which account, and how it proves to hold it. */
export interface LinkRequest {
  readonly partnerId: number;
  readonly memberId: string;
  readonly proof: string;
}

/** What came of it: where to go on with a code, or why not. */
export type LinkOutcome =
  | {
      readonly kind: 'linked';
      readonly redirectUri: string | null;
      readonly code: string;
      readonly state: string | null;
    }
  | { readonly kind: 'refused'; readonly why: keyof typeof linkRefusals };

/** What a person is told when nothing was linked. Of a wrong proof it does not learn what was wrong. */
export const linkRefusals = {
  partner_not_linkable: 'This program cannot be linked here',
  verification_failed: 'The program does not know this account by this proof',
  account_already_linked: 'The account, or the customer, is linked to another one already',
  invalid_token: 'The connect token has expired or was used',
} as const;

/** Links the account that a person proves to hold, and gives a code for the tokens. */
export async function linkAccount(
  session: ConnectSession,
  asked: LinkRequest,
  platform: Linking,
): Promise<LinkOutcome> {
  const partnerships = await linkablePartnerships(session, platform);
  const meant = partnerships.filter(({ partnerId }) => partnerId === asked.partnerId);
  if (meant.length === 0) return refused('partner_not_linkable');
  if (!(await platform.connectSessions.claimAttempt(session))) return refused('invalid_token');

  const program = programOf(
    asked.partnerId,
    await platform.organisations.find(asked.partnerId),
    platform.programAccounts,
  );
  const account = await program.verify({ memberId: asked.memberId, proof: asked.proof });
  if (!account) return refused('verification_failed');
  return finish({ session, account, partnerships: meant }, platform);
}

/** An account that is proven, with the partnerships that it is linked under. */
interface Proven {
  readonly session: ConnectSession;
  readonly account: ProvenAccount;
  readonly partnerships: readonly Partnership[];
}

async function finish({ session, account, partnerships }: Proven, platform: Linking): Promise<LinkOutcome> {
  const now = platform.now();
  const at = now.toISOString();
  const [known, campaigns] = await Promise.all([
    platform.links.known(session, account),
    platform.campaigns.runningOf(session.organisationId, now),
  ]);
  const link = decideLink(session, account, known, { ids: newIds(platform), at });
  if ('refused' in link) return refused(link.refused);

  const code = newSecret(platform, 'authorizationCode');
  const isWritten = await platform.links.write({
    session,
    account,
    link,
    registers: registering(campaigns, partnerships, now),
    code: {
      kind: 'authorizationCode',
      digest: digestOf(code),
      organisationId: session.organisationId,
      userId: link.user.id,
      userUuid: link.user.uuid,
      grantId: platform.nextUuid(),
      redirectUri: session.redirectUri,
      codeChallenge: session.codeChallenge,
      isRevoked: false,
      createdAt: at,
      expiresAt: new Date(now.getTime() + validityMs.authorizationCode).toISOString(),
    },
    event: {
      id: platform.nextUuid(),
      name: 'user_partner_authentication_created',
      entityId: link.user.uuid,
      occurredAt: at,
      merchantId: session.organisationId,
      partnerId: account.partnerId,
    },
  });
  // Somebody was faster, with this session or this account; to try again shows what is there now.
  if (!isWritten) return refused('invalid_token');
  return { kind: 'linked', redirectUri: withCode(session, code), code, state: session.state };
}

/** Connect-only campaigns award nothing: what they count is who linked an account while they ran. */
function registering(
  campaigns: readonly Campaign[],
  partnerships: readonly Partnership[],
  now: Date,
): CampaignReference[] {
  const uuids = new Set(partnerships.map(({ uuid }) => uuid));
  return campaigns
    .filter(({ type, partnershipUuid }) => type === 'CONNECT_ONLY' && uuids.has(partnershipUuid))
    .filter((campaign) => isRunning(campaign, now))
    .map(({ id, partnershipUuid }) => ({ id, partnershipUuid }));
}

const refused = (why: Extract<LinkOutcome, { kind: 'refused' }>['why']): LinkOutcome => ({ kind: 'refused', why });

function newIds({ nextIds }: Runtime): LinkIds {
  return { user: nextIds(), membership: nextIds().id, association: nextIds().id };
}

function withCode({ redirectUri, state }: ConnectSession, code: string): string | null {
  if (redirectUri === null) return null;
  const url = new URL(redirectUri);
  url.searchParams.set('code', code);
  if (state !== null) url.searchParams.set('state', state);
  return url.href;
}

/** The form for a session, with what was wrong with the last try. */
export async function connectForm(
  session: ConnectSession,
  action: string,
  platform: Listing,
  problem?: string,
): Promise<Page> {
  const [merchant, partnerships] = await Promise.all([
    platform.organisations.find(session.organisationId),
    linkablePartnerships(session, platform),
  ]);
  const view = { merchantName: merchant?.name ?? '', partnerships, action, ...(problem !== undefined && { problem }) };
  return {
    status: problem === undefined ? 200 : 400,
    html: connectPage(view),
    // Browsers hold a form's policy against the redirect that follows it.
    formActions: session.redirectUri === null ? [] : [new URL(session.redirectUri).origin],
  };
}
