import * as z from 'zod/mini';

/** What an organisation decides about its work at the dashboard. */
export const OrganisationSettings = z.object({
  organisationId: z.int(),
  /** Whether the person who changed a draft last may not approve it for the same organisation. */
  fourEyes: z.boolean(),
  /** Counts changes; 0 before the first one. */
  revision: z.int(),
  /** The id of the person who changed the settings last; null for an operator, and before the first change. */
  changedBy: z.nullable(z.string()),
  /** Null before the first change. */
  changedAt: z.nullable(z.string()),
});
export type OrganisationSettings = z.infer<typeof OrganisationSettings>;

/** The settings of an organisation that has changed none. */
export const unchangedSettings = (organisationId: number): OrganisationSettings => ({
  organisationId,
  fourEyes: false,
  revision: 0,
  changedBy: null,
  changedAt: null,
});
