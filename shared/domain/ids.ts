/**
 * Users, reward transactions and trigger events have two ids, because the specification asks for both: a UUID and
 * an integer that is derived from it. Either id finds the item in one read (docs/decisions).
 *
 * The UUID is version 7 (RFC 9562): 48 bits of milliseconds, then 74 random bits. The integer consists of the 32
 * bits of the whole seconds and the first 21 random bits: 53 bits, exact in JSON.
 */

const randomBitsOfIntegerId = 21;
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Makes a UUID version 7 from an instant and ten random bytes. */
export function uuidOf(now: Date, random: Uint8Array): string {
  if (random.length < 10) throw new RangeError('a UUID needs ten random bytes');
  const milliseconds = now.getTime().toString(16).padStart(12, '0');
  const bytes = Buffer.from(random.subarray(0, 10));
  bytes[0] = ((bytes[0] ?? 0) & 0x0f) | 0x70;
  bytes[2] = ((bytes[2] ?? 0) & 0x3f) | 0x80;
  const hex = milliseconds + bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The integer id that belongs to a UUID; undefined if the text is not a UUID version 7. */
export function integerIdOf(uuid: string): number | undefined {
  if (!uuidV7.test(uuid)) return undefined;
  const hex = uuid.replaceAll('-', '');
  const seconds = Math.floor(Number.parseInt(hex.slice(0, 12), 16) / 1000);
  const firstTwelve = Number.parseInt(hex.slice(13, 16), 16);
  // The first two bits are the variant. The nine bits after them are random.
  const nextNine = (Number.parseInt(hex.slice(16, 19), 16) >> 1) & 0x1ff;
  const id = seconds * 2 ** randomBitsOfIntegerId + firstTwelve * 2 ** 9 + nextNine;
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** The instant of a UUID version 7, in whole milliseconds. */
export const timeOfUuid = (uuid: string): Date =>
  new Date(Number.parseInt(uuid.slice(0, 'xxxxxxxx-xxxx'.length).replace('-', ''), 16));

/** Reads an integer id in a path: digits only, no sign, no leading zero, exact as a number. */
export function parseIntegerId(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}

const anyUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in lower case, of any version. */
export const isUuid = (text: string): boolean => anyUuid.test(text);

/** The smallest UUID version 7 of an instant. Ids from before the instant are smaller. */
export const firstUuidAt = (at: Date): string => uuidOf(at, new Uint8Array(10));
