import { bodyLength, checksumLength, checksumOf } from '../credential/credentials.ts';

/**
 * The text in the cookie of a session: `rwd_<stage>_<staff>.<32 random bytes><checksum>`. It contains the id of the
 * person, so the session and the person are read in one partition. A text with an error, or of another stage, is
 * refused without a read. Scanners for leaked secrets find the prefix.
 */

const prefix = 'rwd';
const pattern = new RegExp(
  `^${prefix}_([a-z]+)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\\.[\\w-]{${bodyLength}}([\\w-]{${checksumLength}})$`,
);

/** A new text of a session. */
export function sessionText(stage: string, staffId: string, random: Uint8Array): string {
  if (random.length < 32) throw new RangeError('a session needs 32 random bytes');
  const text = `${prefix}_${stage}_${staffId}.${Buffer.from(random.subarray(0, 32)).toString('base64url')}`;
  return text + checksumOf(text);
}

/** The id of the person whose session a text may be; undefined when it is no text of a session of the stage. */
export function staffIdIn(text: string, stage: string): string | undefined {
  const [, textStage, staffId, checksum] = pattern.exec(text) ?? [];
  return textStage === stage && checksumOf(text.slice(0, -checksumLength)) === checksum ? staffId : undefined;
}
