import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { awsCallMs, maximumAttempts, timingMs } from '../../shared/contracts/limits.ts';

const home = 'shared/contracts/limits.ts';
const source = ['shared/**/*.ts', 'functions/**/*.ts'].flatMap((pattern) => globSync(pattern));

/** Ways to declare a duration, a limit or a number of attempts with its value. */
const literals = [
  /const \w*(?:Ms|Seconds|Minutes|Hours|Days)\b[^=;]*=\s*\[?\d/,
  /const (?:(?:maximum|most|longest|default)[A-Z]\w*|\w+(?:Attempts|Rounds|Retries|Limit))\b[^=;]*=\s*[\d({]/,
  /\b60 \* 60\b|\b24 \* |\* 1024\b|\b(?:60|86_400|3_600)_000\b/,
  /maxLength\(\d|\btext\(\d/,
];

const isComment = (line: string) => /^\s*(?:\/\/|\/?\*)/.test(line);

function literalsIn(text: string): string[] {
  const lines = text.split('\n').filter((line) => !isComment(line));
  return lines.filter((line) => literals.some((literal) => literal.test(line))).map((line) => line.trim());
}

describe('calls to AWS', () => {
  it('are answered or fail before the timeout of an endpoint', () => {
    const longestMs = maximumAttempts.awsCall * (awsCallMs.connect + awsCallMs.request);
    // A fifth of the timeout is left for the pauses between the attempts, and for what the endpoint does itself.
    expect(longestMs).toBeLessThan(0.8 * timingMs.endpointTimeout);
  });
});

describe('lifetimes and limits', () => {
  it(`are declared in ${home} only`, () => {
    const elsewhere = source
      .filter((file) => file !== home)
      .flatMap((file) => {
        return literalsIn(readFileSync(file, 'utf8')).map((line) => `${file}: ${line}`);
      });

    expect(elsewhere, `move these values to ${home}`).toEqual([]);
  });

  it.each([
    'const tokenValidityMs = 10 * 60_000;',
    'export const retentionSeconds: number = 3600;',
    'const maximumRounds = 20;',
    'const defaultLimit = 25;',
    'const lockAttempts = 5;',
    '  return now + 24 * hours;',
    '  name: z.string().check(z.maxLength(255)),',
    '  redirect_uri: optional(text(2048)),',
  ])('are found by this check in the line “%s”', (line) => {
    expect(literalsIn(line)).toHaveLength(1);
  });

  it.each([
    'const expiresAtMs = startsAt + validityMs.connectToken;',
    'const delaySeconds = toSeconds(webhookMs.messageDelay);',
    '/** Valid for 24 * 60 minutes. */',
    'const durationMs = isRunning ? Math.round(endedAtMs - startedAtMs) : 0;',
    'const limit = 1;',
  ])('are not found by this check in the line “%s”', (line) => {
    expect(literalsIn(line)).toEqual([]);
  });
});
