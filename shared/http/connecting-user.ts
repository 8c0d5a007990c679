import * as z from 'zod/mini';
import { described } from '../contracts/described.ts';
import { maximumBytes, maximumCharacters, maximumCount } from '../contracts/limits.ts';
import type { ConnectingUser } from '../domain/connect/connect-session.ts';
import { areStorable, isStorableName, Location } from '../domain/member/member.ts';
import { email, optional, phoneNumber, text } from './wire.ts';

const region = z.string().check(z.regex(/^[A-Z0-9]{1,3}$/, { error: 'is not the second part of ISO 3166-2' }));

/** A location: the country (ISO 3166-1 alpha-2), the region (the second part of its ISO 3166-2 code) and the city. */
export const LocationBody = z.pipe(
  z.object({
    country: described('ISO 3166-1 alpha-2.', Location.shape.country),
    region: described('ISO 3166-2, without the country.', optional(region)),
    city: described('City.', optional(text(maximumCharacters.city))),
  }),
  z.transform(({ country, region: part, city }): Location => ({ country, region: part ?? null, city: city ?? null })),
);

const attributeName = text().check(z.refine(isStorableName, { error: 'is a name that cannot be kept' }));

/** The values of attributes by their names: at most 20 names with 20 values each, and 16 KB together. */
export const AttributesBody = z
  .record(attributeName, z.array(text()).check(z.maxLength(maximumCount.attributeValues)))
  .check(
    z.refine(areStorable, {
      error: `has more than ${maximumCount.attributeNames} names, or is larger than ${maximumBytes.memberAttributes / 1024} KB`,
      params: { code: 'too_big' },
    }),
  );

const UserBody = z.object({
  external_id: described("The merchant's own id of the customer.", optional(text())),
  email: described('E-mail address.', optional(email)),
  first_name: described('First name.', optional(text())),
  last_name: described('Last name.', optional(text())),
  phone_number: described('E.164 format.', optional(phoneNumber)),
  referrer_external_id: described("The merchant's own id of the member who referred this user.", optional(text())),
  location: described('Where the customer lives.', optional(LocationBody)),
  attributes: described(
    "Texts by name, in the merchant's own names: conditions of campaigns compare them.",
    optional(AttributesBody),
  ),
});

/** The person whom a merchant sends to the connect flow, parsed into the domain's form. */
export const ConnectingUserBody = z.pipe(UserBody, z.transform(toConnectingUser));

/** A missing field stays missing, so a link does not overwrite the value that the merchant sent before. */
function toConnectingUser(user: z.output<typeof UserBody>): ConnectingUser {
  return {
    ...(user.external_id !== undefined && { externalId: user.external_id }),
    ...(user.email !== undefined && { email: user.email }),
    ...(user.first_name !== undefined && { firstName: user.first_name }),
    ...(user.last_name !== undefined && { lastName: user.last_name }),
    ...(user.phone_number !== undefined && { phoneNumber: user.phone_number }),
    ...(user.referrer_external_id !== undefined && { referrerExternalId: user.referrer_external_id }),
    ...(user.location !== undefined && { location: user.location }),
    ...(user.attributes !== undefined && { attributes: user.attributes }),
  };
}
