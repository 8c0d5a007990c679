import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { organisationPartition, ttlAttribute } from '../../contracts/table.ts';
import { type Invitation, isInvitationOpen } from '../../domain/staff/invitation.ts';
import type { Staff } from '../../domain/staff/staff.ts';
import { type Item, isNew, isStill, Repository, type Write } from '../table/table-client.ts';
import {
  addressPartition,
  awaitedItems,
  awaitedPrefix,
  invitationItems,
  invitationPointers,
  invitationPrefix,
} from './staff-items.ts';

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

  /** What waits at `now` for the person who proves an address. */
  async awaiting(email: string, now: Date): Promise<Awaiting> {
    const { staffIds, pointers } = await this.#pointers(email, now);
    return { staffIds, invitations: await this.#open(pointers, now) };
  }

  /**
   * The invitations that the person who proves an address can accept at `now`, the oldest first.
   *
   * @param loadMore receives the organisations that offer them, and runs beside the read of the invitations
   */
  async openWith<More>(
    email: string,
    now: Date,
    loadMore: (organisationIds: readonly number[]) => Promise<More>,
  ): Promise<[Invitation[], More]> {
    const { pointers } = await this.#pointers(email, now);
    const organisationIds = pointers.map(({ organisationId }) => organisationId);
    return Promise.all([this.#open(pointers, now), loadMore(organisationIds)]);
  }

  async #pointers(email: string, now: Date) {
    const items = await this.table.query({ partition: addressPartition(email) });
    const pointers = pointersOf(items).filter((one) => isInvitationOpen(one, now));
    return { staffIds: awaitedOf(items, now), pointers };
  }

  async #open(pointers: readonly Pick<Invitation, 'organisationId' | 'id'>[], now: Date): Promise<Invitation[]> {
    const found = await this.table.getAll(pointers.map((one) => invitationItems.key(one.organisationId, one.id)));
    return found
      .map(invitationItems.parse)
      .filter((one) => isInvitationOpen(one, now))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** Whether somebody with this address may sign up at `now`. One read. */
  async isInvited(email: string, now: Date): Promise<boolean> {
    const items = await this.table.query({ partition: addressPartition(email) });
    return awaitedOf(items, now).length > 0 || pointersOf(items).some((one) => isInvitationOpen(one, now));
  }

  /** Withdraws everything that waits for the person who proves an address. Safe to repeat. */
  async forget(email: string): Promise<void> {
    const items = await this.table.query({ partition: addressPartition(email) });
    const invited = pointersOf(items).map(({ organisationId, id }) => invitationItems.key(organisationId, id));
    const keys = [...items.map(({ pk, sk }) => ({ pk, sk })), ...invited];
    // Single writes, because operators have no right to batches (decision 0166).
    await Promise.all(keys.map((key) => this.table.write({ kind: 'delete', key, repetition: 'harmless' })));
  }
}

/** What waits for the person who proves an address. */
export interface Awaiting {
  /** People without an identity, who have the address. */
  readonly staffIds: readonly string[];
  /** Invitations that the person can accept, the oldest first. */
  readonly invitations: readonly Invitation[];
}

const pointersOf = (items: readonly Item[]) =>
  items.filter(({ sk }) => sk.startsWith(invitationPrefix)).map(invitationPointers.parse);

const awaitedOf = (items: readonly Item[], now: Date): string[] =>
  items
    .filter(({ sk }) => sk.startsWith(awaitedPrefix))
    .map(awaitedItems.parse)
    .filter(({ until }) => now.getTime() < Date.parse(until))
    .map(({ staffId }) => staffId);

/** The write that lets the person who proves the address be a person without an identity. */
export const awaitedWrite = ({ email, id: staffId }: Pick<Staff, 'email' | 'id'>, until: Date): Write => ({
  kind: 'put',
  item: awaitedItems.item(
    awaitedItems.key(email, staffId),
    { staffId, until: until.toISOString() },
    { [ttlAttribute]: toSeconds(until.getTime() + retentionMs.endedInvitation) },
  ),
});

/** The write that ends the wait for a person's identity. */
export const awaitedDeletion = ({ email, id: staffId }: Pick<Staff, 'email' | 'id'>): Write => ({
  kind: 'delete',
  key: awaitedItems.key(email, staffId),
});

/**
 * The writes of an invitation: a new one, on the condition that the organisation has none open for the address, or one
 * that is sent again, on the condition that nobody else has sent, accepted or withdrawn it.
 */
export function invitationWrites(invitation: Invitation): Write[] {
  const { id, organisationId, email, createdAt, expiresAt, revision } = invitation;
  const isNewOne = revision === 1;
  const attributes = { [ttlAttribute]: toSeconds(Date.parse(expiresAt) + retentionMs.endedInvitation) };
  const pointer = invitationPointers.item(
    invitationPointers.key(email, organisationId),
    { id, organisationId, expiresAt },
    attributes,
  );
  return [
    {
      kind: 'put',
      item: invitationItems.item(invitationItems.key(organisationId, id), invitation, attributes),
      when: isNewOne ? isNew : [isStill('revision', revision - 1)],
    },
    { kind: 'put', item: pointer, when: isNewOne ? [{ attribute: 'expiresAt', is: 'at-most', value: createdAt }] : [] },
  ];
}

/** The writes that use up or withdraw an invitation, on the condition that it is as it was read. */
export const invitationDeletions = ({ id, organisationId, email, revision }: Invitation): Write[] => [
  { kind: 'delete', key: invitationItems.key(organisationId, id), when: [isStill('revision', revision)] },
  { kind: 'delete', key: invitationPointers.key(email, organisationId) },
];
