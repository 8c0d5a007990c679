import { organisationPartition } from '../../contracts/table.ts';
import type { StaffRole } from '../../domain/staff/roles.ts';
import type { Identity, Post, Staff } from '../../domain/staff/staff.ts';
import { type Check, exists, isNew, isStill, Repository, type Write } from '../table/table-client.ts';
import {
  identityPointers,
  ownerCounters,
  personPrefix,
  personRows,
  postItems,
  postPrefix,
  staffItems,
  staffPartition,
} from './staff-items.ts';

/** A person of an organisation. */
export interface Person {
  readonly staff: Staff;
  readonly post: Post;
}

/** The people who work with the dashboard, and their posts in organisations. */
export class People extends Repository {
  async find(id: string): Promise<Staff | undefined> {
    const item = await this.table.get(staffItems.key(id));
    return item && staffItems.parse(item);
  }

  /** Finds the people with these ids, in no order. An id of nobody is left out. */
  async findMany(ids: readonly string[]): Promise<Staff[]> {
    const items = await this.table.getAll([...new Set(ids)].map((id) => staffItems.key(id)));
    return items.map(staffItems.parse);
  }

  /**
   * The id of the person with an identity; null when an operator reset the identity, undefined when nobody has ever had
   * it.
   */
  async idOf(identity: Identity): Promise<string | null | undefined> {
    const item = await this.table.get(identityPointers.key(identity));
    return item && identityPointers.parse(item).staffId;
  }

  async findPost(staffId: string, organisationId: number): Promise<Post | undefined> {
    const item = await this.table.get(postItems.key(staffId, organisationId));
    return item && postItems.parse(item);
  }

  /** The posts of a person, by the id of the organisation. */
  async postsOf(staffId: string): Promise<Post[]> {
    const items = await this.table.query({ partition: staffPartition(staffId), sortBeginsWith: postPrefix });
    return items.map(postItems.parse).sort((one, other) => one.organisationId - other.organisationId);
  }

  /** The person with this id, if the person has a post in the organisation. */
  async findPerson(organisationId: number, staffId: string): Promise<Person | undefined> {
    const found = await this.#readPeople(organisationId, [staffId]);
    return found[0];
  }

  /** The people of an organisation, the longest there first. */
  async peopleOf(organisationId: number): Promise<Person[]> {
    const rows = await this.table.query({
      partition: organisationPartition(organisationId),
      sortBeginsWith: personPrefix,
    });
    const people = await this.#readPeople(
      organisationId,
      rows.map((row) => personRows.parse(row).staffId),
    );
    return people.sort((one, other) => (one.post.createdAt < other.post.createdAt ? -1 : 1));
  }

  async #readPeople(organisationId: number, staffIds: readonly string[]): Promise<Person[]> {
    const keys = staffIds.flatMap((id) => [staffItems.key(id), postItems.key(id, organisationId)]);
    const items = await this.table.getAll(keys);
    return staffIds.flatMap((id) => {
      const own = items.filter(({ pk }) => pk === staffPartition(id));
      const [staff, post] = [own.find(({ sk }) => sk === 'STAFF'), own.find(({ sk }) => sk !== 'STAFF')];
      return staff && post ? [{ staff: staffItems.parse(staff), post: postItems.parse(post) }] : [];
    });
  }
}

/** The write that gives an identity to a person, on the condition that nobody has had it. */
export const identityWrite = (identity: Identity, staffId: string): Write => ({
  kind: 'put',
  item: identityPointers.item(identityPointers.key(identity), { staffId }),
  when: isNew,
});

/** The check that an identity still leads to the person. */
export const identityCheck = (identity: Identity, staffId: string): Check => ({
  kind: 'check',
  key: identityPointers.key(identity),
  when: [{ attribute: 'staffId', is: '=', value: staffId }],
});

/** The write after which an identity leads to nobody, for good. */
export const identityEndWrite = (identity: Identity): Write => ({
  kind: 'put',
  item: identityPointers.item(identityPointers.key(identity), { staffId: null }),
});

/** The write that forgets an identity: a person with it is unknown afterwards. */
export const identityDeletion = (identity: Identity): Write => ({
  kind: 'delete',
  key: identityPointers.key(identity),
  repetition: 'harmless',
});

/** The write of a new person without an identity. */
export const staffWrite = (staff: Staff): Write => ({
  kind: 'put',
  item: staffItems.item(staffItems.key(staff.id), staff),
  when: isNew,
});

/**
 * The check that a person was not removed.
 *
 * @param refusal the error if the person was
 */
export const staffCheck = (id: string, refusal: Error): Check => ({
  kind: 'check',
  key: staffItems.key(id),
  when: exists,
  refusal,
});

/** The write of a changed person, on the condition that the person was not removed. */
export const changedStaffWrite = (changed: Staff): Write => ({
  kind: 'put',
  item: staffItems.item(staffItems.key(changed.id), changed),
  when: exists,
});

/** The write that gives a person, who has none, an identity and the address by which it was proved. */
export const newIdentityWrite = (changed: Staff): Write => ({
  kind: 'put',
  item: staffItems.item(staffItems.key(changed.id), changed),
  when: [...exists, { attribute: 'identity', is: '=', value: null }],
});

/** The write that takes the identity from a person, on the condition that the person was not removed. */
export const resetStaffWrite = ({ id }: Pick<Staff, 'id'>): Write => ({
  kind: 'update',
  key: staffItems.key(id),
  changes: { set: { identity: null } },
  when: exists,
  repetition: 'harmless',
});

/** The write that deletes a person, on the condition that the person is still there. */
export const staffDeletion = (id: string): Write => ({ kind: 'delete', key: staffItems.key(id), when: exists });

/** The writes that give a person, who has none there, a post in an organisation. */
export const newPostWrites = (post: Post): Write[] => {
  const { staffId, organisationId, roles } = post;
  const row = personRows.item(personRows.key(organisationId, staffId), { staffId });
  return [
    { kind: 'put', item: postItems.item(postItems.key(staffId, organisationId), post), when: isNew },
    { kind: 'put', item: row },
    ...ownerWrites(organisationId, { before: [], after: roles }),
  ];
};

/** The writes of a post with other roles, on the condition that the roles are as they were read. */
export const changedPostWrites = (before: Post, changed: Post, lastOwner?: Error): Write[] => {
  const { staffId, organisationId, revision } = before;
  const item = postItems.item(postItems.key(staffId, organisationId), { ...changed, revision: revision + 1 });
  return [
    { kind: 'put', item, when: [isStill('revision', revision)] },
    ...ownerWrites(organisationId, { before: before.roles, after: changed.roles }, lastOwner),
  ];
};

/** The writes that end a post, on the condition that its roles are as they were read. */
export const postDeletions = ({ staffId, organisationId, roles, revision }: Post, lastOwner?: Error): Write[] => [
  { kind: 'delete', key: postItems.key(staffId, organisationId), when: [isStill('revision', revision)] },
  { kind: 'delete', key: personRows.key(organisationId, staffId) },
  ...ownerWrites(organisationId, { before: roles, after: [] }, lastOwner),
];

/**
 * The check that a person still has exactly these roles in an organisation.
 *
 * @param refusal the error if the person does not
 */
export const rolesCheck = (
  {
    staffId,
    organisationId,
    roles,
  }: Pick<Post, 'staffId' | 'organisationId'> & { readonly roles: readonly StaffRole[] },
  refusal: Error,
): Check => ({
  kind: 'check',
  key: postItems.key(staffId, organisationId),
  when: [{ attribute: 'roles', is: '=', value: roles }],
  refusal,
});

/**
 * The write that counts owners; none when the number stays.
 *
 * @param lastOwner the error if no owner would be left
 */
function ownerWrites(
  organisationId: number,
  { before, after }: { readonly before: readonly StaffRole[]; readonly after: readonly StaffRole[] },
  lastOwner?: Error,
): Write[] {
  const change = Number(after.includes('owner')) - Number(before.includes('owner'));
  if (change === 0) return [];
  const write = {
    kind: 'update',
    key: ownerCounters.key(organisationId),
    changes: { add: { owners: change } },
  } as const;
  if (change > 0) return [write];
  return [{ ...write, when: [{ attribute: 'owners', is: '>', value: 1 }], ...(lastOwner && { refusal: lastOwner }) }];
}
