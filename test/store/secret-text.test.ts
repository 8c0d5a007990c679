import { describe, expect, it } from 'vitest';
import {
  digestOf,
  isSecretText,
  type SecretKind,
  secretPrefixes,
  secretText,
} from '../../shared/store/credential/credentials.ts';
import { fc } from '../support/fast-check.ts';

const kinds = Object.keys(secretPrefixes) as SecretKind[];
const secrets = fc
  .record({ kind: fc.constantFrom(...kinds), random: fc.uint8Array({ minLength: 32, maxLength: 32 }) })
  .map(({ kind, random }) => secretText(kind, 'sandbox', random));
const characters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_ .'];

describe('the text of a secret', () => {
  it('starts with its prefix and its stage', () => {
    for (const kind of kinds) {
      expect(secretText(kind, 'sandbox', new Uint8Array(32))).toMatch(`${secretPrefixes[kind]}_sandbox_`);
    }
  });

  it('is accepted by its own stage only', () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        expect(isSecretText(secret, 'sandbox')).toBe(true);
        expect(isSecretText(secret, 'production')).toBe(false);
        expect(isSecretText(secret.replace('sandbox', 'production'), 'production')).toBe(false);
      }),
    );
  });

  it('is refused when any one character is changed', () => {
    const secret = secretText('partnerKey', 'sandbox', new Uint8Array(32).fill(7));
    const accepted: string[] = [];
    for (let position = 0; position < secret.length; position += 1) {
      for (const character of characters) {
        const changed = secret.slice(0, position) + character + secret.slice(position + 1);
        if (changed !== secret && isSecretText(changed, 'sandbox')) accepted.push(changed);
      }
    }

    expect(accepted).toEqual([]);
  });

  it('is refused when characters are swapped, missing or added', () => {
    fc.assert(
      fc.property(secrets, fc.nat(), (secret, anywhere) => {
        const at = anywhere % (secret.length - 1);
        const [one = '', other = ''] = secret.slice(at, at + 2);
        const swapped = secret.slice(0, at) + other + one + secret.slice(at + 2);
        const shorter = secret.slice(0, at) + secret.slice(at + 1);
        for (const changed of [swapped, shorter, `${secret}A`, ` ${secret}`, `${secret}\n`]) {
          expect(isSecretText(changed, 'sandbox')).toBe(changed === secret);
        }
      }),
    );
  });

  it.each(['', 'rwk', 'rwk_sandbox_', 'x'.repeat(70)])('is refused when it is %j', (text) => {
    expect(isSecretText(text, 'sandbox')).toBe(false);
  });

  it('needs 32 random bytes', () => {
    expect(() => secretText('bearer', 'sandbox', new Uint8Array(31))).toThrow(RangeError);
  });

  it('is stored only as its SHA-256 digest', () => {
    expect(digestOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
