import * as z from 'zod/mini';
import { maximumBytes, maximumCount } from '../contracts/limits.ts';

/**
 * A JSON object whose fields others define: up to 10 levels deep and 32 KB large. Its depth is measured
 * level by level, because a function that calls itself can be made to run out of stack.
 */
export const jsonObject = z.record(z.string(), z.unknown()).check(
  z.superRefine((value, context) => {
    const problem = problemOf(value);
    if (problem) context.addIssue({ code: 'custom', message: problem.message, params: { code: problem.code } });
  }),
);

function problemOf(value: object): { readonly code: string; readonly message: string } | undefined {
  let containers: object[] = [value];
  for (let depth = 1; containers.length > 0; depth += 1) {
    if (depth > maximumCount.jsonLevels) {
      return { code: 'too_deep', message: `is nested more than ${maximumCount.jsonLevels} levels deep` };
    }
    const inner: unknown[] = containers.flatMap((container) => Object.values(container));
    // 1e999 is JSON, but no number that could be kept.
    if (inner.some((each) => typeof each === 'number' && !Number.isFinite(each))) {
      return { code: 'too_big', message: 'has a number that is too large' };
    }
    containers = inner.filter((each) => typeof each === 'object' && each !== null);
  }
  const isLarge = Buffer.byteLength(JSON.stringify(value)) > maximumBytes.jsonObject;
  return isLarge ? { code: 'too_big', message: 'is larger than 32 KB' } : undefined;
}
