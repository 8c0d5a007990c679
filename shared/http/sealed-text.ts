import { createCipheriv, createDecipheriv } from 'node:crypto';

/** Text that says nothing to its holder, and that only the platform can make: AES-256-GCM, in base64url. */

const algorithm = 'aes-256-gcm';
export const sealIvBytes = 12;
const tagBytes = 16;

/** What a text is sealed with. */
export interface Seal {
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** What the text belongs to: it opens nowhere else. */
  readonly binding: string;
}

/** Seals a text; the initialisation vector must be random and new. */
export function sealText({ key, binding }: Seal, text: string, iv: Uint8Array): string {
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(binding));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** The text; undefined when it was sealed otherwise, or was changed. */
export function openText({ key, binding }: Seal, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  // Decoding forgives what does not belong there; a text is good as it was given out or not at all.
  if (bytes.toString('base64url') !== sealed || bytes.length <= sealIvBytes + tagBytes) return undefined;

  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, sealIvBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(binding))
    .setAuthTag(bytes.subarray(sealIvBytes, sealIvBytes + tagBytes));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(sealIvBytes + tagBytes)), decipher.final()]);
    return text.toString('utf8');
  } catch {
    // The one thing that final() says of a text that is not authentic.
    return undefined;
  }
}
