import { createCipheriv, createDecipheriv } from 'node:crypto';

/** Opaque text that only the platform can make and read: AES-256-GCM, in base64url. */

const algorithm = 'aes-256-gcm';
export const sealIvBytes = 12;
const tagBytes = 16;

/** The key and the binding of a sealed text. Both are needed to open the text. */
export interface Seal {
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** The text opens only with the same binding. */
  readonly binding: string;
}

/** Seals a text; the initialisation vector must be random and new. */
export function sealText({ key, binding }: Seal, text: string, iv: Uint8Array): string {
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(binding));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Opens a text; undefined when the seal is different or the text was changed. */
export function openText({ key, binding }: Seal, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  // Decoding ignores foreign characters, but only the exact text that was sealed is valid.
  if (bytes.toString('base64url') !== sealed || bytes.length <= sealIvBytes + tagBytes) return undefined;

  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, sealIvBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(binding))
    .setAuthTag(bytes.subarray(sealIvBytes, sealIvBytes + tagBytes));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(sealIvBytes + tagBytes)), decipher.final()]);
    return text.toString('utf8');
  } catch {
    // final() throws when the text is not authentic.
    return undefined;
  }
}
