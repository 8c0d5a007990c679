import { ChangedMeanwhileError } from '../../domain/errors.ts';
import type { Organisation } from '../../domain/organisation.ts';
import type { OrganisationSettings } from '../../domain/staff/organisation-settings.ts';
import { changedOrganisationWrite } from '../../store/organisation/organisations.ts';
import { People } from '../../store/staff/people.ts';
import { SettingsStore, settingsWrite } from '../../store/staff/settings.ts';
import { AlreadyExistsError, NotFoundError, ChangedMeanwhileError as OrganisationChangedError } from '../errors.ts';
import { findOrganisationStores, organisationSubject, organisationsNamed } from '../organisation/find-organisation.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { authorChecks } from './author-checks.ts';
import { changedNow, lastChangeOf } from './manage-people.ts';

export const changeSettingsStores = { ...findOrganisationStores, people: People, settings: SettingsStore };
export type ChangeSettingsDeps = AuditedDeps<typeof changeSettingsStores>;

/** An organisation as its people see it. */
export interface OrganisationDesk {
  readonly organisation: Organisation;
  readonly settings: OrganisationSettings;
}

/** @throws NotFoundError when the organisation does not exist, or is deleted */
export async function loadDesk(organisationId: number, deps: ChangeSettingsDeps): Promise<OrganisationDesk> {
  const [organisation, settings] = await Promise.all([
    deps.organisations.find(organisationId),
    deps.settings.find(organisationId),
  ]);
  if (!organisation || organisation.deletedAt !== undefined) {
    throw new NotFoundError({ kind: 'organisation', id: organisationId });
  }
  return { organisation, settings };
}

/** Settings as a person wants them. What is absent stays as it is. */
export interface WantedSettings {
  readonly organisationId: number;
  readonly name?: string | undefined;
  readonly fourEyes?: boolean | undefined;
  /** The revision of the settings that the author saw. */
  readonly revision: number;
}

/**
 * Changes name and settings of an organisation.
 *
 * @throws ChangedMeanwhileError when the settings have another revision
 * @throws AlreadyExistsError when another organisation has the name
 * @throws NotFoundError; NotPermittedError when the author lost the roles meanwhile
 */
export async function changeSettings(wanted: WantedSettings, deps: ChangeSettingsDeps): Promise<OrganisationDesk> {
  const { organisation, settings } = await loadDesk(wanted.organisationId, deps);
  if (settings.revision !== wanted.revision) throw new ChangedMeanwhileError(await lastChangeOf(settings, deps));
  const { name = organisation.name, fourEyes = settings.fourEyes } = wanted;
  const [before, after] = [
    { name: organisation.name, fourEyes: settings.fourEyes },
    { name, fourEyes },
  ];
  if (name !== before.name) await requireFreeName(name, organisation, deps);
  const changed = { ...settings, fourEyes, ...changedNow(deps) };
  await writeAudited(
    {
      what: 'changed the settings of the organisation',
      change: { before, after },
      writes: [
        ...authorChecks(deps),
        settingsWrite(settings, changed),
        ...(name === before.name ? [] : [changedOrganisationWrite(organisation, { ...organisation, name })]),
      ],
      conflict: () => new OrganisationChangedError(organisationSubject(organisation)),
    },
    deps,
  );
  return { organisation: { ...organisation, name }, settings: { ...changed, revision: settings.revision + 1 } };
}

async function requireFreeName(name: string, { id }: Organisation, deps: ChangeSettingsDeps): Promise<void> {
  const [namesake] = (await organisationsNamed(name, deps)).filter((one) => one.id !== id);
  if (namesake) throw new AlreadyExistsError(organisationSubject(namesake));
}
