import { type OrganisationSettings, unchangedSettings } from '../../domain/staff/organisation-settings.ts';
import { isNew, isStill, Repository, type Write } from '../table/table-client.ts';
import { settingsItems } from './staff-items.ts';

/** The settings of organisations. */
export class SettingsStore extends Repository {
  /** The settings of an organisation; the default ones before the first change. */
  async find(organisationId: number): Promise<OrganisationSettings> {
    const item = await this.table.get(settingsItems.key(organisationId));
    return item ? settingsItems.parse(item) : unchangedSettings(organisationId);
  }
}

/** The write of changed settings, on the condition that they are as they were read. */
export function settingsWrite(before: OrganisationSettings, changed: OrganisationSettings): Write {
  const { organisationId, revision } = before;
  const next = { ...changed, revision: revision + 1 };
  const when = revision === 0 ? isNew : [isStill('revision', revision)];
  return { kind: 'put', item: settingsItems.item(settingsItems.key(organisationId), next), when };
}
