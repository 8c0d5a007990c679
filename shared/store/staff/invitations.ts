import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { organisationPartition, ttlAttribute } from '../../contracts/table.ts';
import { type Invitation, isInvitationOpen } from '../../domain/staff/invitation.ts';
import { isNew, isStill, Repository, type Write } from '../table/table-client.ts';
import { addressPartition, invitationItems, invitationPointers, invitationPrefix } from './staff-items.ts';

/** The invitations of people to organisations. */
export class Invitations extends Repository {
  async find(organisationId: number, id: string): Promise<Invitation | undefined> {
    const item = await this.table.get(invitationItems.key(organisationId, id));
    return item && invitationItems.parse(item);
  }

  /** The invitations of an organisation, the newest first. Those that are over stay some time, to be sent again. */
  async ofOrganisation(organisationId: number): Promise<Invitation[]> {
    const items = await this.table.query({
      partition: organisationPartition(organisationId),
      sortBeginsWith: invitationPrefix,
      descending: true,
    });
    return items.map(invitationItems.parse);
  }

  /** The invitations that a person with this verified address can accept at `now`, the oldest first. */
  async openFor(email: string, now: Date): Promise<Invitation[]> {
    const pointers = await this.table.query({ partition: addressPartition(email), sortBeginsWith: invitationPrefix });
    const open = pointers.map(invitationPointers.parse).filter((one) => isInvitationOpen(one, now));
    const items = await this.table.getAll(open.map((one) => invitationItems.key(one.organisationId, one.id)));
    return items
      .map(invitationItems.parse)
      .filter((one) => isInvitationOpen(one, now))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** Whether a person with this address may sign up at `now`: somebody invited the address. One read. */
  async isInvited(email: string, now: Date): Promise<boolean> {
    const pointers = await this.table.query({ partition: addressPartition(email), sortBeginsWith: invitationPrefix });
    return pointers.some((pointer) => isInvitationOpen(invitationPointers.parse(pointer), now));
  }
}

/** The writes of a new invitation. */
export const newInvitationWrites = (invitation: Invitation): Write[] => putWrites(invitation, invitation.revision - 1);

/** The writes of an invitation that is sent again, on the condition that it was neither accepted nor withdrawn. */
export const sentAgainWrites = (before: Invitation, again: Invitation): Write[] => putWrites(again, before.revision);

function putWrites(invitation: Invitation, seenRevision: number): Write[] {
  const { id, organisationId, email, expiresAt } = invitation;
  const attributes = { [ttlAttribute]: toSeconds(Date.parse(expiresAt) + retentionMs.endedInvitation) };
  const pointer = invitationPointers.item(
    invitationPointers.key(email, id),
    { id, organisationId, expiresAt },
    attributes,
  );
  return [
    {
      kind: 'put',
      item: invitationItems.item(invitationItems.key(organisationId, id), invitation, attributes),
      when: seenRevision === 0 ? isNew : [isStill('revision', seenRevision)],
    },
    { kind: 'put', item: pointer },
  ];
}

/** The writes that use up or withdraw an invitation, on the condition that it is as it was read. */
export const invitationDeletions = ({ id, organisationId, email, revision }: Invitation): Write[] => [
  { kind: 'delete', key: invitationItems.key(organisationId, id), when: [isStill('revision', revision)] },
  { kind: 'delete', key: invitationPointers.key(email, id) },
];
