import { plainError } from '../../domain/errors.ts';
import { emailOf } from '../../domain/staff/staff.ts';
import { Invitations } from '../../store/staff/invitations.ts';
import type { Deps } from '../operation.ts';

/** Nobody has invited the address. The person reads the message on the page of the sign-up. */
export class SignUpRefusedError extends plainError(
  'SignUpRefusedError',
  'this address has no open invitation. Ask an owner of your organization to invite it',
) {}

export const admitSignUpStores = { invitations: Invitations };

/**
 * Admits a person to the user pool. An invitation is accepted later, by the person who has proved the address, so this
 * only keeps strangers from filling the pool and from sending e-mails through it.
 *
 * @throws SignUpRefusedError when the address has no open invitation, and belongs to nobody whose identity was reset
 */
export async function admitSignUp(
  address: string,
  { invitations, now }: Deps<typeof admitSignUpStores>,
): Promise<void> {
  const email = emailOf(address);
  if (email !== undefined && (await invitations.isInvited(email, now()))) return;
  throw new SignUpRefusedError();
}
