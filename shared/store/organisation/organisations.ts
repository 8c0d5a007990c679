import { organisationPartition } from '../../contracts/table.ts';
import { Organisation } from '../../domain/organisation.ts';
import { type Condition, defineEntity, exists, Repository, type Write } from '../table/table-client.ts';

const organisations = defineEntity(Organisation, (id: number) => ({
  pk: organisationPartition(id),
  sk: 'ORGANISATION',
}));

export class Organisations extends Repository {
  async find(id: number): Promise<Organisation | undefined> {
    const item = await this.table.get(organisations.key(id));
    return item && organisations.parse(item);
  }

  /** Finds the organisations with these ids, sorted by id. An id of no organisation is left out. */
  async findMany(ids: readonly number[]): Promise<Organisation[]> {
    const items = await this.table.getAll(ids.map((id) => organisations.key(id)));
    return items.map(organisations.parse).sort((one, other) => one.id - other.id);
  }
}

/**
 * The write of a changed organisation, on the condition that no other edit was written since it was read.
 *
 * @param before the organisation as it was read
 */
export function changedOrganisationWrite(before: Organisation, changed: Organisation): Write {
  const { revision } = before;
  const isUnchanged: Condition =
    revision === undefined
      ? { attribute: 'revision', is: 'absent' }
      : { attribute: 'revision', is: '=', value: revision };
  const item = organisations.item(organisations.key(before.id), { ...changed, revision: (revision ?? 0) + 1 });
  return { kind: 'put', item, when: [...exists, isUnchanged] };
}

/**
 * The write to an organisation that gets a new partnership, on the condition that the organisation is not deleted. The
 * write increases the revision, so a deletion of the organisation at the same time fails.
 */
export const partneredWrite = (id: number): Write => ({
  kind: 'update',
  key: organisations.key(id),
  changes: { add: { revision: 1 } },
  when: [...exists, { attribute: 'deletedAt', is: 'absent' }],
});

/** The write of a new organisation. */
export function organisationWrite(organisation: Organisation): Write {
  return { kind: 'put', item: organisations.item(organisations.key(organisation.id), organisation) };
}
