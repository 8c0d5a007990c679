import type { Job, JobReply } from './jobs.ts';
import { replay } from './replay.ts';
import { shop } from './shop.ts';

/** The process of a side: does the jobs it is sent, and reports each. */
process.on('message', (job: Job) => {
  const work = job.kind === 'shop' ? shop(job) : replay(job);
  work.then(
    (done) => tell({ done }),
    (error: Error) => tell({ failed: error.stack ?? error.message }),
  );
});

function tell(reply: JobReply): void {
  process.send?.(reply);
}
