/** One fault of a request, with its place (JSON Pointer). */
export interface RequestFault {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** A request that the platform refused. */
export class RewardsApiError extends Error {
  override readonly name = 'RewardsApiError';
  readonly status: number;
  /** The error's identifier for your code, such as `order_already_exists`: the field `error` or `code` of the reply. */
  readonly identifier: string;
  /** The id of the request. Include it when you ask the platform's operators for help. */
  readonly requestId: string | undefined;
  readonly faults: readonly RequestFault[];

  /** @param body the parsed body of the reply */
  constructor(status: number, body: unknown) {
    const { error, code, message, error_description, request_id, errors } = Object(body);
    super(String(message ?? error_description ?? `the platform replied ${status}`));
    this.status = status;
    this.identifier = String(error ?? code ?? 'unexpected_error');
    this.requestId = typeof request_id === 'string' ? request_id : undefined;
    this.faults = Array.isArray(errors) ? errors : [];
  }
}

/** The result of a call: `data` of a success, `error` of a refusal. */
export interface CallResult<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * Returns the body of a success.
 *
 * @throws RewardsApiError when the platform refused
 * @example
 * const { data } = unwrap(await rewards.order.POST('/orders/external', { body }));
 */
export function unwrap<Data>({ data, error, response }: CallResult<Data>): NonNullable<Data> {
  if (!response.ok || data === undefined || data === null) throw new RewardsApiError(response.status, error);
  return data;
}

/** The body of a reply that is one page of a list. */
interface Page {
  readonly cursor: { readonly next: string | null };
}

/**
 * Yields every page of a list, one request after the other.
 *
 * @param load calls the list with a cursor; undefined asks for the first page
 * @throws RewardsApiError when the platform refuses a page
 * @example
 * for await (const { data } of pages((cursor) => rewards.campaign.GET('/campaigns', { params: { query: { campaign_types: '1', cursor } } }))) …
 */
export async function* pages<Body extends Page>(
  load: (cursor: string | undefined) => Promise<CallResult<Body>>,
): AsyncGenerator<NonNullable<Body>> {
  let cursor: string | undefined;
  do {
    const page = unwrap(await load(cursor));
    yield page;
    cursor = page.cursor.next ?? undefined;
  } while (cursor !== undefined);
}

/**
 * Yields every item of a list.
 *
 * @param select returns the items of a page
 * @throws RewardsApiError when the platform refuses a page
 */
export async function* items<Body extends Page, Item>(
  load: (cursor: string | undefined) => Promise<CallResult<Body>>,
  select: (page: NonNullable<Body>) => readonly Item[],
): AsyncGenerator<Item> {
  for await (const page of pages(load)) yield* select(page);
}
