import { organisationPartition } from '../../contracts/table.ts';
import { emptyRegistry, Registry } from '../../domain/registry/registry.ts';
import { type Condition, defineEntity, isNew, Repository, type Write } from '../table/table-client.ts';

const registries = defineEntity(Registry, (organisationId: number) => ({
  pk: organisationPartition(organisationId),
  sk: 'REGISTRY',
}));

/** The registries of organisations. Each is one item, so a reader sees all entries as they were at one instant. */
export class Registries extends Repository {
  /** The registry of an organisation; an empty one when the organisation has registered nothing. */
  async find(organisationId: number): Promise<Registry> {
    const item = await this.table.get(registries.key(organisationId));
    return item ? registries.parse(item) : emptyRegistry(organisationId);
  }
}

/**
 * The write of a changed registry, on two conditions: since `before` was read, no entry was changed, and no campaign
 * was approved that refers to an entry.
 */
export function registryWrite(before: Registry, { attributes, tiers }: Registry): Write {
  const { organisationId, revision, approvals } = before;
  const next: Registry = { ...before, attributes, tiers, revision: revision + 1 };
  const unchanged: Condition[] = [
    { attribute: 'revision', is: '=', value: revision },
    { attribute: 'approvals', is: '=', value: approvals },
  ];
  const when = revision === 0 ? isNew : unchanged;
  return { kind: 'put', item: registries.item(registries.key(organisationId), next), when };
}

/**
 * The write that counts the approval of a campaign that refers to a registry, on the condition that no entry was
 * changed since the registry was read. Several approvals at the same time do not disturb each other.
 */
export function approvalWrite({ organisationId, revision }: Registry): Write {
  return {
    kind: 'update',
    key: registries.key(organisationId),
    changes: { add: { approvals: 1 } },
    when: [{ attribute: 'revision', is: '=', value: revision }],
  };
}
