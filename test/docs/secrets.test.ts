import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** No file of the repository contains anything that a service would accept as a secret. */

/**
 * The forms of credentials. A key of the platform names its stage. Keys of the stage `local` are allowed, because they
 * open nothing.
 */
const forms: Readonly<Record<string, RegExp>> = {
  'access key of AWS': /\b(?:AKIA|ASIA)(?!IOSFODNN7EXAMPLE)[A-Z0-9]{16}\b/,
  'secret key of AWS': /aws_?secret_?access_?key["']?\s*[:=]\s*["']?[A-Za-z0-9/+]{40}\b/i,
  'private key': /-----BEGIN (?:RSA |EC |OPENSSH |)PRIVATE KEY-----/,
  'token of GitHub': /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,})\b/,
  'token of npm': /\bnpm_[A-Za-z0-9]{36}\b/,
  'live key of Stripe': /\b[rs]k_live_[A-Za-z0-9]{20,}\b/,
  'token of Slack': /\bxox[abprs]-[A-Za-z0-9-]{20,}\b/,
  'token of Shopify': /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/,
  'key or token of a deployed stage': /\brw[kurb]_(?:sandbox|production)_[A-Za-z0-9_-]{30,}/,
};

/** A key that was made for tests: no service accepts it. */
const known = new Set(['test/fixtures/tls/key.pem']);

const largestBytes = 2_000_000;
const filesOfRepository = (): string[] => {
  try {
    return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
      .trim()
      .split('\n');
  } catch {
    // The folder is no git repository, for example a downloaded archive.
    return globSync('**/*', { exclude: ['**/node_modules/**', 'dist/**', 'cdk.out/**', '.local/**'] });
  }
};

const findIn = (text: string): string[] => Object.keys(forms).filter((name) => forms[name]?.test(text));

describe('secrets', () => {
  it('are in no file', () => {
    const found = filesOfRepository()
      .filter((file) => !known.has(file) && statSync(file, { throwIfNoEntry: false })?.isFile())
      .filter((file) => statSync(file).size < largestBytes)
      .flatMap((file) => findIn(readFileSync(file, 'latin1')).map((name) => `${file}: ${name}`));
    expect(found).toEqual([]);
  });

  it.each([
    ['access key of AWS', `AKIA${'Q'.repeat(16)}`],
    ['secret key of AWS', `AWS_SECRET_ACCESS_KEY=${'a'.repeat(40)}`],
    ['private key', `-----BEGIN ${'EC'} PRIVATE KEY-----`],
    ['token of GitHub', `ghp_${'a'.repeat(36)}`],
    ['token of npm', `npm_${'a'.repeat(36)}`],
    ['live key of Stripe', `sk_live_${'a'.repeat(24)}`],
    ['token of Slack', `xoxb-${'1'.repeat(24)}`],
    ['token of Shopify', `shpat_${'a'.repeat(32)}`],
    ['key or token of a deployed stage', `rwk_production_${'a'.repeat(40)}`],
  ])('would be found in a file: %s', (name, text) => {
    expect(findIn(`before ${text} after`)).toContain(name);
  });
});
