import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import { staffPermissions } from '../../contracts/staff-permissions.ts';
import { permissionsOf, StaffRole } from '../../domain/staff/roles.ts';
import type { InvitationFrom, PostAt } from '../../operations/staff/list-posts.ts';
import type { SignedInCaller, StaffCaller } from '../request.ts';

/** A person at the dashboard, for the person. */
export const PersonView = z.object({
  id: described('UUID of the person.', z.string()),
  email: described('The verified address.', z.string()),
  name: described('The name; null if the issuer reports none.', z.nullable(z.string())),
  authenticated_at: described('When the person signed in.', z.string()),
});

export const personView = (caller: SignedInCaller | StaffCaller): z.input<typeof PersonView> => ({
  id: caller.staffId,
  email: caller.email,
  name: caller.name,
  authenticated_at: caller.authenticatedAt,
});

/** The place of a person in an organisation. */
export const PostView = z.object({
  organisation_id: described('Id of the organisation.', z.int()),
  name: described('Name of the organisation.', z.string()),
  roles: described('The roles of the person there.', z.array(StaffRole)),
  permissions: described('What the roles permit.', z.array(z.enum(staffPermissions))),
});

export const postView = ({ post, organisation }: PostAt): z.input<typeof PostView> => ({
  organisation_id: organisation.id,
  name: organisation.name,
  roles: post.roles,
  permissions: permissionsOf(post.roles),
});

/** An invitation, for the invited person. */
export const OwnInvitationView = z.object({
  id: described('UUID of the invitation.', z.string()),
  organisation_id: described('Id of the organisation.', z.int()),
  name: described('Name of the organisation.', z.string()),
  roles: described('The roles that the person would have there.', z.array(StaffRole)),
  expires_at: described('Until when it can be accepted.', z.string()),
});

export const ownInvitationView = ({ invitation, organisation }: InvitationFrom): z.input<typeof OwnInvitationView> => ({
  id: invitation.id,
  organisation_id: organisation.id,
  name: organisation.name,
  roles: invitation.roles,
  expires_at: invitation.expiresAt,
});
