import { uuidOf } from '../../../shared/domain/ids.ts';
import { Deliveries } from '../../../shared/store/webhook/deliveries.ts';
import { counted } from '../../cost/counted.ts';
import { seededRandom } from '../seeded.ts';

/*
 * The log of deliveries of one subscription, second by second: each purchase has some events, each event is delivered
 * within a second, and each delivery writes one row of one unit. The partition of a row is chosen by the real code from
 * a real event id.
 */

export interface DeliveryResult {
  readonly partitions: number;
  /** The most write units that any partition used in one second. */
  readonly busiestSecond: number;
  /** The share of all rows that the fullest partition contains. */
  readonly busiestShare: number;
}

/** Simulates the deliveries of all purchases of one merchant to one subscription. */
export function simulateDeliveries(perSecond: number, seconds = 5): DeliveryResult {
  const random = seededRandom(20_261_124);
  const bytes = () => Uint8Array.from({ length: 10 }, () => Math.floor(random() * 256));
  const rows = new Map<string, number[]>();
  const subscription = { subscriptionId: 'one' };
  const events = perSecond * seconds * counted.journeys.purchase.events;
  for (let nth = 0; nth < events; nth += 1) {
    const arrivedMs = random() * seconds * 1_000;
    const event = { id: uuidOf(new Date(Date.UTC(2026, 10, 23) + arrivedMs), bytes()) };
    const [partition = ''] = Deliveries.placeOf({ subscription, event }).split(' ');
    const bySecond = rows.get(partition) ?? Array.from({ length: seconds + 1 }, () => 0);
    const deliveredIn = Math.floor(arrivedMs / 1_000 + random());
    bySecond[deliveredIn] = (bySecond[deliveredIn] ?? 0) + 1;
    rows.set(partition, bySecond);
  }
  const sums = [...rows.values()].map((bySecond) => bySecond.reduce((sum, count) => sum + count, 0));
  return {
    partitions: rows.size,
    busiestSecond: Math.max(...[...rows.values()].flat()),
    busiestShare: Math.max(...sums) / events,
  };
}
