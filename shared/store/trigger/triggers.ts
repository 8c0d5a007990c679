import { partitions } from '../../contracts/table.ts';
import { Trigger } from '../../domain/trigger/trigger.ts';
import { defineEntity, isNew, Repository, type Write } from '../table/table-client.ts';

const triggers = defineEntity(Trigger, (partnershipUuid: string, name: string) => ({
  pk: `${partitions.partnership}${partnershipUuid}`,
  sk: `TRIGGER#${name}`,
}));

/** The triggers of partnerships. */
export class Triggers extends Repository {
  async find(partnershipUuid: string, name: string): Promise<Trigger | undefined> {
    const item = await this.table.get(triggers.key(partnershipUuid, name));
    return item && triggers.parse(item);
  }

  /** All triggers of a partnership, by name. */
  async of(partnershipUuid: string): Promise<Trigger[]> {
    const { pk: partition, sk: sortBeginsWith } = triggers.key(partnershipUuid, '');
    return (await this.table.query({ partition, sortBeginsWith })).map(triggers.parse);
  }
}

/** The write of a new trigger. */
export function newTriggerWrite(trigger: Trigger): Write {
  return { kind: 'put', item: itemOf(trigger), when: isNew };
}

/** The write of a changed trigger, on the condition that it has not changed since it was read. */
export function changedTriggerWrite(trigger: Trigger): Write {
  const next = { ...trigger, revision: trigger.revision + 1 };
  return { kind: 'put', item: itemOf(next), when: [{ attribute: 'revision', is: '=', value: trigger.revision }] };
}

const itemOf = (trigger: Trigger) => triggers.item(triggers.key(trigger.partnershipUuid, trigger.name), trigger);
