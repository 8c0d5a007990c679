import { queryOptions } from '@tanstack/react-query';
import { call, callOnce, showFor } from './call.ts';
import type { Membership, OwnInvitation, Session } from './types.ts';

/** Who is signed in; null when nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => findSession(signal),
  staleTime: 60_000,
});

async function findSession(signal: AbortSignal): Promise<Session | null> {
  const { data } = await callOnce<{ readonly data: SessionReply }>('GET', '/session', { signal });
  const session = toSession(data);
  if (session) showFor(session.person.id);
  return session;
}

interface SessionReply {
  /** Null when nobody is signed in. */
  readonly person: { readonly id: string; readonly email: string; readonly name: string | null } | null;
  readonly stage: string;
  readonly organisations: readonly (Omit<Membership, 'id'> & { readonly organisation_id: number })[];
  readonly invitations: readonly OwnInvitation[];
}

function toSession({ person, stage, organisations, invitations }: SessionReply): Session | null {
  if (person === null) return null;
  return {
    person: { ...person, name: person.name ?? person.email },
    organisations: organisations.map(({ organisation_id: id, ...rest }) => ({ id, ...rest })),
    invitations,
    isSandbox: stage !== 'production',
  };
}

/**
 * The address at which signing in begins. It is a page of the server, so it is opened as a page, not called.
 *
 * @param returnTo a path of the application
 */
export function signInAddress(returnTo: string, isConfirmation = false): string {
  const query = new URLSearchParams({ return_to: returnTo, ...(isConfirmation && { prompt: 'login' }) });
  return `/api/session/login?${query}`;
}

/** Ends this session, or all sessions of the person. Returns the address at which the sign-in service ends its own. */
export async function signOut({ isEverywhere }: { readonly isEverywhere: boolean }): Promise<string> {
  const { data } = await call<{ readonly data: { readonly location: string } }>('POST', '/session/logout', {
    body: { everywhere: isEverywhere },
  });
  return data.location;
}

/** Whether the person may do something for an organisation. */
export const may = ({ permissions }: Membership, permission: string): boolean => permissions.includes(permission);

/** Accepts an invitation for the signed-in person. Returns the organisation's id. */
export async function acceptInvitation(id: string): Promise<number> {
  const { data } = await call<{ readonly data: { readonly organisation_id: number } }>('POST', '/session/invitation', {
    body: { invitation_id: id },
  });
  return data.organisation_id;
}
