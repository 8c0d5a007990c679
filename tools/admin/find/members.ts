import { integerIdOf, parseIntegerId } from '../../../shared/domain/ids.ts';
import type { Member } from '../../../shared/domain/member/member.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { OperatorError } from '../cli/errors.ts';
import { findOrganisation, organisationText } from './organisations.ts';

type Stores = Pick<Platform, 'members' | 'organisations' | 'sequences'>;

/**
 * The member of an id or a UUID; of an organisation's own id when the organisation is named.
 *
 * @throws OperatorError when there is none
 */
export async function findMember(stores: Stores, text: string, organisation?: string): Promise<Member> {
  if (organisation !== undefined) return findByExternalId(stores, text, organisation);

  const id = parseIntegerId(text) ?? integerIdOf(text.toLowerCase());
  const found = id === undefined ? undefined : await stores.members.find(id);
  // Two UUIDs may lead to one integer; only one of them is the member's.
  if (found && (text === String(found.user.id) || text.toLowerCase() === found.user.uuid)) return found;
  const hint = id === undefined ? '; with an id of an organisation’s own, name the organisation with --of' : '';
  throw new OperatorError(`there is no member ${text}${hint}`);
}

async function findByExternalId(stores: Stores, externalId: string, text: string): Promise<Member> {
  const organisation = await findOrganisation(stores, text);
  const found = await stores.members.findByExternalId(organisation.id, externalId);
  if (found) return found;
  throw new OperatorError(`${organisationText(organisation)} knows no member ${externalId}`);
}

/** `member 3714552184012345 (Ada Byron)` */
export const memberText = ({ user }: Member) => `member ${user.id} (${user.firstName} ${user.lastName})`;
