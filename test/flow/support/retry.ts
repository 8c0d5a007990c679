import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Answer } from '../../support/call.ts';

/** How often a client tries. Two attempts suffice after a crash; random faults may need more. */
const tries = 5;

/** Repeats a request while the platform replies with 5xx or 429. */
export async function untilItWorks(request: () => Promise<Answer>): Promise<Answer> {
  let answer = await request();
  for (let attempt = 1; attempt < tries && (answer.status >= 500 || answer.status === 429); attempt += 1) {
    // Replies with 5xx and 429 have the error shape too.
    const error = answer.status === 429 ? 'rate_limit_exceeded' : 'unexpected_error';
    expect(answer.body).toMatchObject({ error, request_id: answer.headers['x-request-id'] });
    await sleep(20 * 2 ** attempt);
    answer = await request();
  }
  return answer;
}
