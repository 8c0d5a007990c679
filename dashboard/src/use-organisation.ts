import { getRouteApi } from '@tanstack/react-router';
import type { Membership, Session } from './api/types.ts';

const route = getRouteApi('/$organisation');

/** The organisation for which the person acts on this screen. */
export function useOrganisation(): Membership {
  return route.useRouteContext().organisation;
}

/** The signed-in person's session. */
export function useSession(): Session {
  return route.useRouteContext().session;
}
