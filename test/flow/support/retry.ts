import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Answer } from '../../support/call.ts';

/** How often a caller tries: a second try must do after a crash, chance may need some more. */
const tries = 5;

/** Does as a careful caller does: sends the same request again while the platform says that it failed or is busy. */
export async function untilItWorks(request: () => Promise<Answer>): Promise<Answer> {
  let answer = await request();
  for (let attempt = 1; attempt < tries && (answer.status >= 500 || answer.status === 429); attempt += 1) {
    // A failure is told in the error shape, too.
    const error = answer.status === 429 ? 'rate_limit_exceeded' : 'unexpected_error';
    expect(answer.body).toMatchObject({ error, request_id: answer.headers['x-request-id'] });
    await sleep(20 * 2 ** attempt);
    answer = await request();
  }
  return answer;
}
