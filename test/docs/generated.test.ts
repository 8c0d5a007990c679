import { describe, expect, it } from 'vitest';
import { generatedPages } from '../../tools/build/docs.ts';

describe('generated parts of the documentation', () => {
  it.each(generatedPages())('are up to date in $path', ({ path, present, wanted }) => {
    expect(present, `${path} is stale: run \`npm run docs\``).toBe(wanted);
  });
});
