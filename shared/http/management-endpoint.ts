import type { AnyContract } from '../contracts/contract.ts';
import { isOfStaff, managementRefusals, needsCredential } from '../contracts/contract.ts';
import { parseIntegerId } from '../domain/ids.ts';
import { once } from '../domain/memoize.ts';
import { permissionsOf } from '../domain/staff/roles.ts';
import { isSessionOver, isSignInRecent, maskEmail, type Post } from '../domain/staff/staff.ts';
import { auditRefusal } from '../operations/write-audited.ts';
import { runtime, withStores } from '../runtime/runtime.ts';
import { openSiteSettings, type SiteSettings } from '../runtime/site-settings.ts';
import { Sessions, type SignedIn } from '../store/staff/sessions.ts';
import { personHeader, requireOwnPage } from './browser-origin.ts';
import { originOf } from './caller-address.ts';
import { readSessionCookie } from './cookies.ts';
import { endpointWith, type HostSteps } from './endpoint.ts';
import { actOf } from './organisation-request.ts';
import { RequestRefusedError } from './reply.ts';
import { type Caller, type Headers, type IdentifyCaller, refusal, requirePermission } from './request.ts';

const openDeps = once(() => {
  const deps = withStores(runtime(), { sessions: Sessions });
  return { ...deps, settings: openSiteSettings(deps) };
});

/** What the functions of the host know about the sites of their stage. */
export const siteSettings = (): Promise<SiteSettings> => openDeps().settings();

/**
 * Identifies a person at the dashboard. The steps, in this order: the request came through the delivery network; a
 * request that changes something came from a page of the dashboard; the session is alive; the person belongs to the
 * organisation in the path; the roles give the permission; the sign-in is recent, where the contract asks for it.
 */
const identifyStaff: IdentifyCaller = async (contract, { headers, path, address }) => {
  const { edgeSecrets, dashboardUrl } = await openDeps().settings();
  if (!originOf(headers, address, edgeSecrets).isFromEdge) {
    throw refused('wrongAddress', `The address of the dashboard is ${dashboardUrl}`);
  }
  if (contract.method !== 'GET') requireOwnPage(headers, dashboardUrl);
  if (!isOfStaff(contract.credential.kind)) return anonymous;

  // An organisation that does not exist has the id 0: nobody has a post in it.
  const organisationId =
    contract.credential.kind === 'staff' ? (parseIntegerId(path.organisation_id ?? '') ?? 0) : undefined;
  const found = await findSession(headers, dashboardUrl, organisationId);
  if ('failure' in found) {
    if (!needsCredential(contract)) return anonymous;
    throw refusal(contract, found.failure, found.message);
  }
  const caller = await callerOf(contract, found, organisationId);
  if (contract.needsRecentSignIn && !isSignInRecent(found.session, openDeps().now())) {
    throw refused('reauthentication', 'Sign in again to do this');
  }
  return caller;
};

/**
 * Writes into the audit trail what the rules refused to a person: an act that the roles do not allow (403), or one that
 * a rule forbids, such as four eyes (409). Faulty requests, unknown things and old revisions are no such acts.
 */
const auditRefused: NonNullable<HostSteps['onRefusal']> = async (contract, { caller, parts }, { status, message }) => {
  if (caller?.kind !== 'staff' || (status !== 403 && status !== 409)) return;
  const id = (parts?.params as { readonly id?: string } | undefined)?.id;
  // The caller may have made up the id of a thing that a role does not allow.
  const object = status === 409 && id !== undefined ? `${id}: ` : '';
  const what = object + message.replaceAll(/[^\s@]+@[^\s@]+/g, maskEmail);
  await auditRefusal({ staff: caller, act: actOf(contract, parts?.body), what }, openDeps());
};

/**
 * Makes the handler of a contract of the management host. It writes no metrics: those of each endpoint would cost more
 * than the host itself, and it has alarms by host.
 */
export const managementEndpoint = endpointWith({ identify: identifyStaff, onRefusal: auditRefused });

const anonymous = { kind: 'anonymous', scope: 'anonymous' } as const;

/** Why a request has no live session. */
interface NoSession {
  readonly failure: 'invalid' | 'expired';
  readonly message: string;
}

/** Finds the session of the cookie, and writes that it is in use. */
async function findSession(
  headers: Headers,
  dashboardUrl: string,
  organisationId: number | undefined,
): Promise<SignedIn | NoSession> {
  const { sessions, config, now } = openDeps();
  const text = readSessionCookie(headers, dashboardUrl);
  if (!text) return { failure: 'invalid', message: 'You are not signed in' };
  const signedIn = await sessions.signedIn(text, config.stage, organisationId);
  const { [personHeader]: shownFor } = headers;
  if (signedIn && shownFor !== undefined && shownFor !== signedIn.staff.id) {
    return { failure: 'expired', message: 'Another person signed in in this browser: sign in again' };
  }
  if (signedIn && isSessionOver(signedIn.session, now())) {
    return { failure: 'expired', message: 'Your session is over: sign in again' };
  }
  if (signedIn && (await sessions.touch(signedIn.session, now()))) return signedIn;
  return { failure: 'expired', message: 'Your session was ended: sign in again' };
}

async function callerOf(
  contract: AnyContract,
  { staff, session, post }: SignedIn,
  organisationId: number | undefined,
): Promise<Caller> {
  const person = {
    staffId: staff.id,
    email: staff.email,
    name: staff.name,
    authenticatedAt: session.authenticatedAt,
    scope: session.digest,
  };
  if (organisationId === undefined) return { kind: 'signedIn', ...person };
  return { kind: 'staff', ...person, organisationId, ...(await rightsOf(contract, post)) };
}

/**
 * The rights of a person in the organisation. That the person lacks a permission is in the organisation's audit trail.
 *
 * @throws RequestRefusedError when the person has no post in the organisation, or its roles lack the permission
 */
async function rightsOf(contract: AnyContract, post: Post | undefined) {
  if (!post) throw refused('unknownOrganisation', 'There is no such organisation');
  const permissions = permissionsOf(post.roles);
  try {
    requirePermission(contract, permissions);
  } catch (error) {
    const what = `lacks the permission ${contract.permission}`;
    await auditRefusal({ staff: post, act: actOf(contract), what }, openDeps());
    throw error;
  }
  return { roles: post.roles, permissions };
}

function refused(failure: keyof typeof managementRefusals, message: string): RequestRefusedError {
  const { status, identifier } = managementRefusals[failure];
  return new RequestRefusedError(status, identifier, message);
}
