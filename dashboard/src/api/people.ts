import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { InvitationView, PersonView, Role } from './types.ts';

interface People {
  readonly people: readonly PersonView[];
  readonly invitations: readonly InvitationView[];
}

const pathOf = (organisation: number) => `/organisations/${organisation}/people`;

/** The people of an organisation, and who is invited. */
export const peopleQuery = (organisation: number) =>
  queryOptions({
    queryKey: ['people', organisation],
    queryFn: async ({ signal }) => {
      const { data } = await call<{ readonly data: People }>('GET', pathOf(organisation), { signal });
      return data;
    },
  });

/** Invites a person. The link is in this reply only. */
export async function invite(
  organisation: number,
  invitation: { readonly email: string; readonly roles: readonly Role[] },
) {
  const { data } = await call<{ readonly data: { readonly link: string } }>('POST', pathOf(organisation), {
    body: invitation,
  });
  return data;
}

interface Target {
  readonly organisation: number;
  readonly id: string;
  readonly revision: number;
}

export const changeRoles = ({ organisation, id, revision }: Target, roles: readonly Role[]) =>
  call('PUT', `${pathOf(organisation)}/${id}`, { body: { roles }, revision });

/** Removes a person, or withdraws an invitation. */
export const removePerson = ({ organisation, id, revision }: Target) =>
  call('DELETE', `${pathOf(organisation)}/${id}`, { revision });
