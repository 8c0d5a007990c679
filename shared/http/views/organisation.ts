import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import type { OrganisationDesk } from '../../operations/staff/change-settings.ts';

/** An organisation, for its people. */
export const OrganisationView = z.object({
  id: described('Id of the organisation.', z.int()),
  name: described('Name of the organisation.', z.string()),
  kind: described('Whether it is a merchant or the partner of a loyalty program.', z.enum(['MERCHANT', 'PARTNER'])),
  four_eyes: described('Whether the person who changed a draft last may not approve it.', z.boolean()),
  revision: described('Revision of the settings, for `If-Match`.', z.int()),
});

export const organisationView = ({ organisation, settings }: OrganisationDesk): z.input<typeof OrganisationView> => ({
  id: organisation.id,
  name: organisation.name,
  kind: organisation.kind,
  four_eyes: settings.fourEyes,
  revision: settings.revision,
});
