import type { Resource, Resources } from '../template/resources.ts';

/**
 * The queue that a test means: by its name or logical id, or by a part that no other queue has.
 * @throws Error with the names there are, when it is none or not clear which
 */
export function findQueue(resources: Resources, wanted: string): Resource {
  const queues = resources.ofType('AWS::SQS::Queue');
  const namesOf = (queue: Resource): string[] => [queue.attribute('QueueName'), queue.logicalId];
  const exact = queues.find((queue) => namesOf(queue).includes(wanted));
  const partly = queues.filter((queue) => namesOf(queue).some((name) => name.includes(wanted)));
  const found = exact ?? (partly.length === 1 ? partly[0] : undefined);
  if (found) return found;
  const known = queues.map(({ logicalId }) => logicalId).join(', ');
  throw new Error(`"${wanted}" names ${partly.length === 0 ? 'no queue' : 'several queues'}; there are ${known}`);
}
