import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { organisationPartition, partitions } from '../../contracts/table.ts';
import { Invitation } from '../../domain/staff/invitation.ts';
import { OrganisationSettings } from '../../domain/staff/organisation-settings.ts';
import { type Identity, Post, Session, Staff } from '../../domain/staff/staff.ts';
import { defineEntity } from '../table/table-client.ts';

/** The kinds of items of people who work with the dashboard. */

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The partition of a person: the person, the sessions, the posts in organisations. */
export const staffPartition = (id: string) => `${partitions.staff}${id}`;

export const staffItems = defineEntity(Staff, (id: string) => ({ pk: staffPartition(id), sk: 'STAFF' }));

export const sessionPrefix = 'SESSION#';
export const sessionItems = defineEntity(Session, (staffId: string, digest: string) => ({
  pk: staffPartition(staffId),
  sk: sessionPrefix + digest,
}));

export const postPrefix = 'ORGANISATION#';
export const postItems = defineEntity(Post, (staffId: string, organisationId: number) => ({
  pk: staffPartition(staffId),
  sk: `${postPrefix}${organisationId}`,
}));

/** The row by which an organisation finds its people. Names and roles are in the partition of the person only. */
export const personPrefix = 'PERSON#';
export const personRows = defineEntity(
  z.object({ staffId: z.string() }),
  (organisationId: number, staffId: string) => ({
    pk: organisationPartition(organisationId),
    sk: personPrefix + staffId,
  }),
);

/** The number of owners of an organisation. It is never below 1 again after the first owner. */
export const ownerCounters = defineEntity(z.object({ owners: z.int() }), (organisationId: number) => ({
  pk: organisationPartition(organisationId),
  sk: 'OWNERS',
}));

export const settingsItems = defineEntity(OrganisationSettings, (organisationId: number) => ({
  pk: organisationPartition(organisationId),
  sk: 'SETTINGS',
}));

/** Leads from an identity at an issuer to the person. `staffId` is null for an identity that an operator reset. */
export const identityPointers = defineEntity(
  z.object({ staffId: z.nullable(z.string()) }),
  ({ issuer, subject }: Identity) => ({
    pk: partitions.identity + sha256(JSON.stringify([issuer, subject])),
    sk: 'IDENTITY',
  }),
);

export const invitationPrefix = 'INVITATION#';
export const invitationItems = defineEntity(Invitation, (organisationId: number, id: string) => ({
  pk: organisationPartition(organisationId),
  sk: invitationPrefix + id,
}));

/** The partition with the invitations of an address. Before anybody signs up, only the address is known. */
export const addressPartition = (email: string) => partitions.invitation + sha256(email);
const InvitationPointer = z.object({ id: z.string(), organisationId: z.int(), expiresAt: z.string() });
/** An organisation has one open invitation for an address at most: otherwise its roles could be accepted twice. */
export const invitationPointers = defineEntity(InvitationPointer, (email: string, organisationId: number) => ({
  pk: addressPartition(email),
  sk: invitationPrefix + organisationId,
}));

/**
 * Says that a person without an identity waits for one: the first person who proves the address until `until` is the
 * person.
 */
export const awaitedPrefix = 'AWAITED#';
export const awaitedItems = defineEntity(
  z.object({ staffId: z.string(), until: z.string() }),
  (email: string, staffId: string) => ({ pk: addressPartition(email), sk: awaitedPrefix + staffId }),
);
