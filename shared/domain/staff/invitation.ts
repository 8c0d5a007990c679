import * as z from 'zod/mini';
import { StaffRole } from './roles.ts';

/**
 * The offer of roles in an organisation to the person with an e-mail address. It exists until it is accepted, withdrawn
 * or over: so it is accepted at most once.
 */
export const Invitation = z.object({
  /** UUID version 7. */
  id: z.string(),
  organisationId: z.int(),
  /** In the form of `emailOf`. Only a person with exactly this verified address can accept. */
  email: z.string(),
  /** At least one. */
  roles: z.array(StaffRole),
  /** The person who invited; null for an operator. */
  invitedBy: z.nullable(z.string()),
  createdAt: z.string(),
  expiresAt: z.string(),
  /** Counts how often the invitation was sent, from 1. */
  revision: z.int(),
});
export type Invitation = z.infer<typeof Invitation>;

/** Whether an invitation can be accepted at `now`. */
export const isInvitationOpen = ({ expiresAt }: Pick<Invitation, 'expiresAt'>, now: Date): boolean =>
  now.getTime() < Date.parse(expiresAt);

/** The path of the dashboard at which an invitation is accepted. It is no secret: only the invited address can accept. */
export const invitationPath = ({ id }: Pick<Invitation, 'id'>): string => `/?invitation=${id}`;

/** The id of the invitation that a path of the dashboard names; undefined for other paths. */
export const invitationIdIn = (path: string): string | undefined => /^\/\?invitation=([\w-]+)$/.exec(path)?.[1];
