import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Answer } from '../../support/call.ts';

/** How often a caller tries: a second try must do after a crash, chance may need some more. */
const tries = 5;

/** Does as a careful caller does: sends the same request again while the platform says that it failed. */
export async function untilItWorks(request: () => Promise<Answer>): Promise<Answer> {
  let answer = await request();
  for (let attempt = 1; attempt < tries && answer.status >= 500; attempt += 1) {
    // A failure is told in the error shape, too.
    expect(answer.body).toMatchObject({ error: 'unexpected_error', request_id: answer.headers['x-request-id'] });
    await sleep(20 * 2 ** attempt);
    answer = await request();
  }
  return answer;
}
