import { UserNotFoundError } from '../../domain/errors.ts';
import { integerIdOf } from '../../domain/ids.ts';
import { isAssociated, isNamedBy, type Member, seenAt } from '../../domain/member/member.ts';
import { type Visibility, visibilityOf } from '../../domain/member/visibility.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { Members } from '../../store/member/members.ts';
import type { Deps } from '../operation.ts';

export const getUserStores = { partnerships: Partnerships, members: Members };
type UserDeps = Deps<typeof getUserStores>;

/** A member, and the parts of it that the caller may see. */
export interface VisibleMember {
  readonly member: Member;
  readonly visible: Visibility;
}

/**
 * Finds a user of an organisation: a customer of the merchant, or a member of the partner's program.
 *
 * @throws UserNotFoundError
 */
export async function getUser(uuid: string, organisationId: number, deps: UserDeps): Promise<VisibleMember> {
  const id = integerIdOf(uuid);
  if (id === undefined) throw new UserNotFoundError();
  const [member, asMerchant, asPartner] = await Promise.all([
    deps.members.find(id),
    deps.partnerships.of('byMerchant', organisationId),
    deps.partnerships.of('byPartner', organisationId),
  ]);
  if (!member || !isNamedBy(member, uuid) || !isAssociated(member, organisationId)) throw new UserNotFoundError();
  const seen = seenAt(member, organisationId, deps.now());
  return { member: seen, visible: visibilityOf({ organisationId, asMerchant, asPartner }) };
}

/**
 * Finds the user of a user token. The token belongs to one merchant, so the result contains no data of other merchants.
 *
 * @throws UserNotFoundError
 */
export async function getOwnUser(userId: number, merchantId: number, deps: UserDeps): Promise<VisibleMember> {
  const [member, asMerchant] = await Promise.all([
    deps.members.find(userId),
    deps.partnerships.of('byMerchant', merchantId),
  ]);
  if (!member) throw new UserNotFoundError();
  const visible = visibilityOf({ organisationId: merchantId, asMerchant, asPartner: [] });
  return { member: seenAt(member, merchantId, deps.now()), visible };
}
