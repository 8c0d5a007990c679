import { integerIdOf, parseIntegerId } from '../../domain/ids.ts';
import type { Member } from '../../domain/member/member.ts';
import { Members } from '../../store/member/members.ts';
import type { Deps } from '../deps.ts';
import { NotFoundError, type Subject } from '../errors.ts';
import {
  findOrganisation,
  findOrganisationStores,
  loadOrganisationNames,
  organisationSubject,
} from '../organisation/find-organisation.ts';

export const findMemberStores = { ...findOrganisationStores, members: Members };
export type FindMemberDeps = Deps<typeof findMemberStores>;

/** The text that identifies a member. */
export interface MemberReference {
  /** The member's id or UUID. With `organisation`, the id that the organisation uses for the member. */
  readonly id: string;
  /** The id or exact name of the organisation. */
  readonly organisation?: string | undefined;
}

/** Loads a member with the names of its merchants and partners. @throws NotFoundError when there is none */
export async function loadMember(reference: MemberReference, deps: FindMemberDeps) {
  const member = await findMember(reference, deps);
  const partnerIds = member.memberships.map(({ partnerId }) => partnerId);
  const merchantIds = member.associations.map(({ merchantId }) => merchantId);
  return { member, nameOf: await loadOrganisationNames([...partnerIds, ...merchantIds], deps) };
}

/** Finds a member. @throws NotFoundError when there is none */
export async function findMember({ id: text, organisation }: MemberReference, deps: FindMemberDeps): Promise<Member> {
  if (organisation !== undefined) return findByExternalId(text, organisation, deps);

  const id = parseIntegerId(text) ?? integerIdOf(text.toLowerCase());
  const found = id === undefined ? undefined : await deps.members.find(id);
  // Two UUIDs may lead to one integer; only one of them is the member's.
  if (found && (text === String(found.user.id) || text.toLowerCase() === found.user.uuid)) return found;
  throw new NotFoundError({ kind: 'member', id: text });
}

async function findByExternalId(externalId: string, organisation: string, deps: FindMemberDeps): Promise<Member> {
  const owner = await findOrganisation(organisation, deps);
  const found = await deps.members.findByExternalId(owner.id, externalId);
  if (found) return found;
  throw new NotFoundError({ kind: 'member', id: externalId }, { within: organisationSubject(owner) });
}

export const memberSubject = ({ user }: Pick<Member, 'user'>): Subject => ({
  kind: 'member',
  id: user.id,
  name: `${user.firstName} ${user.lastName}`,
});
