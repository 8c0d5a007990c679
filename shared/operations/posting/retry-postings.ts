import { Postings } from '../../store/ledger/postings.ts';
import type { Deps } from '../operation.ts';
import type { ProgramQueue } from './sync-with-program.ts';

export const retryPostingsStores = { postings: Postings };

/**
 * Queues the transactions whose next posting attempt is due: the last attempt failed or died, or its message was lost.
 * A transaction that is queued twice is posted once.
 */
export async function retryPostings({
  postings,
  queue,
  now,
  log,
}: Deps<typeof retryPostingsStores> & { readonly queue: ProgramQueue }): Promise<void> {
  const due = await postings.overdue(now());
  await queue.send(due.map((posting) => ({ kind: 'post', ...posting })));
  log.info('postings queued', { queued: due.length });
}
