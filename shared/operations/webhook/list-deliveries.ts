import { maximumCount } from '../../contracts/limits.ts';
import { firstUuidAt } from '../../domain/ids.ts';
import type { ListPage, PageRange, Position } from '../../store/table/list-page.ts';
import type { Delivery } from '../../webhooks/delivery.ts';
import type { Deps } from '../operation.ts';
import { type EndpointRequest, findReadableEndpoint, type getEndpointStores } from './find-endpoint.ts';

/** The deliveries that a caller wants to see. Absent fields match every delivery. */
export interface DeliveryFilter {
  readonly state?: Delivery['state'] | undefined;
  readonly eventName?: Delivery['event']['name'] | undefined;
  /** Events from this time on. */
  readonly since?: Date | undefined;
  /** Events before this time. */
  readonly until?: Date | undefined;
}

/**
 * A page of the delivery log of a subscription, the latest event first. A page looks through a limited part of the log,
 * so it may contain fewer deliveries than its limit, or none, and still have a next page.
 *
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError
 */
export async function listDeliveries(
  request: EndpointRequest,
  { filter, range }: { readonly filter: DeliveryFilter; readonly range: PageRange },
  deps: Deps<typeof getEndpointStores>,
): Promise<ListPage<Delivery>> {
  const { subscriptionId } = await findReadableEndpoint(request, deps);
  const isSearch = filter.state !== undefined || filter.eventName !== undefined;
  // One row more than the page holds shows whether another page follows.
  const limit = isSearch ? maximumCount.pageItems : range.limit + 1;
  const list = (position: Position | undefined) =>
    deps.deliveries.list(subscriptionId, { limit, ...(position && { position }) });
  return takePage(readLog(list, filter, range.position), { filter, range });
}

type List = (position: Position | undefined) => Promise<ListPage<Delivery>>;

/** Reads the part of the log between the filter's times, from `position` on and in the direction of `position`. */
async function* readLog(list: List, { since, until }: DeliveryFilter, position: Position | undefined) {
  const oldest = since && firstIdAt(since);
  const end = until && firstIdAt(until);
  const begin: Position | undefined = end === undefined ? undefined : { towards: 'next', from: end };
  const towards = position?.towards ?? 'next';
  const isOutside = ({ event: { id } }: Delivery) =>
    towards === 'next' ? oldest !== undefined && id < oldest : end !== undefined && id >= end;
  let from: Position | null | undefined = position ?? begin;
  while (from !== null) {
    const page: ListPage<Delivery> = await list(from);
    for (const row of towards === 'next' ? page.items : page.items.toReversed()) {
      if (isOutside(row)) return;
      yield row;
    }
    from = page[towards];
  }
}

/** The smallest possible id of a time. Ids contain the milliseconds since 1970: a time before 1970 counts as 1970. */
const firstIdAt = (at: Date) => firstUuidAt(new Date(Math.max(0, at.getTime())));

async function takePage(
  rows: AsyncIterable<Delivery>,
  { filter, range: { limit, position } }: { readonly filter: DeliveryFilter; readonly range: PageRange },
): Promise<ListPage<Delivery>> {
  const found: Delivery[] = [];
  let looked = 0;
  let last: string | undefined;
  let hasMore = false;
  for await (const row of rows) {
    const isWanted = isMatch(row, filter);
    hasMore = looked === maximumCount.searchedDeliveries || (isWanted && found.length === limit);
    if (hasMore) break;
    looked += 1;
    last = row.event.id;
    if (isWanted) found.push(row);
  }
  const isBack = position?.towards === 'prev';
  const items = isBack ? found.toReversed() : found;
  const onward = hasMore && last !== undefined ? last : undefined;
  return {
    items,
    next: placeOf('next', isBack ? items.at(-1)?.event.id : onward),
    prev: placeOf('prev', isBack ? onward : position && items[0]?.event.id),
  };
}

const placeOf = (towards: Position['towards'], from: string | undefined): Position | null =>
  from === undefined ? null : { towards, from };

function isMatch({ state, event }: Delivery, filter: DeliveryFilter): boolean {
  return (
    (filter.state === undefined || filter.state === state) &&
    (filter.eventName === undefined || filter.eventName === event.name)
  );
}
