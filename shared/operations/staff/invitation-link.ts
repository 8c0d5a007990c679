import type { Invitation } from '../../domain/staff/invitation.ts';

/** The link that leads an invited person to the sign-in. It is no secret: only the invited address can accept. */
export const invitationLink = (dashboardUrl: string, { id }: Pick<Invitation, 'id'>): string =>
  `${dashboardUrl}/?invitation=${id}`;
