import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import httpUrlencodeBodyParser from '@middy/http-urlencode-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod/mini';
import { type AnyContract, isIdempotent } from '../contracts/contract.ts';
import type { StoreClasses, Stores } from '../operations/deps.ts';
import { once } from '../runtime/once.ts';
import { type Runtime, runtime, withStores } from '../runtime/runtime.ts';
import type { AnonymousCaller, ConnectingCaller, OrganisationCaller, UserCaller } from './caller.ts';
import type { EndpointContext } from './exchange.ts';
import { idempotent, requestName } from './idempotent.ts';
import { authenticated, limited, observed, opened, refused, validated } from './middlewares.ts';
import { type RefusalDetails, RequestRefusedError } from './refusal.ts';
import { type Reply, successReply } from './reply.ts';

/** The caller that a contract's kind of credential makes. */
type CallerOf<C extends AnyContract> = CallersByKind[C['credential']['kind']];
interface CallersByKind {
  readonly partnerKey: OrganisationCaller;
  readonly bearer: OrganisationCaller;
  readonly client: OrganisationCaller;
  readonly userToken: UserCaller;
  readonly connectToken: ConnectingCaller;
  readonly none: AnonymousCaller;
}

/** What a handler is given: the parts of the request as its contract promises them, and what to work with. */
export interface Call<C extends AnyContract, Classes extends StoreClasses = StoreClasses> {
  readonly params: z.infer<NonNullable<C['params']>>;
  readonly query: z.infer<NonNullable<C['query']>>;
  readonly body: z.infer<NonNullable<C['body']>>;
  readonly caller: CallerOf<C>;
  readonly platform: Runtime & Stores<Classes>;
  /** Where this host is reached from outside, without a slash at the end. */
  readonly baseUrl: string;
  /** The request by the name that its idempotency key gives it; undefined without one. */
  readonly requestName: string | undefined;
  /** Refuses with one of the contract's identifiers. Always throws. */
  readonly refuse: (identifier: keyof C['refusals'] & string, message: string, details?: RefusalDetails) => never;
}

type Data<C extends AnyContract> = z.input<C['data']>;

/**
 * Makes the Lambda of a contract. The handler says what the endpoint does; all that every endpoint
 * does the same is in the list below, and runs in its order (errors and replies in the reverse).
 *
 * @param stores the repositories that the handler uses, by the names that it finds them by in `platform`
 * @example
 * export const handler = endpoint(contract, { members: Members }, async ({ params, platform, refuse }) => { … });
 */
export function endpoint<C extends AnyContract, Classes extends StoreClasses>(
  contract: C,
  stores: Classes,
  handle: (call: Call<C, Classes>) => Promise<Data<C>>,
) {
  const equipped = once(() => withStores(runtime(), stores));
  const chain = middy<APIGatewayProxyEvent, Reply, Error, EndpointContext>({ requestEnd: observed(contract) })
    .use(refused(contract))
    .use(httpHeaderNormalizer())
    .use(opened())
    .use(authenticated(contract))
    .use(limited());

  if (contract.body) chain.use(contract.bodyType === 'form' ? httpUrlencodeBodyParser() : httpJsonBodyParser());
  chain.use(validated(contract));
  if (isIdempotent(contract)) chain.use(idempotent(contract));

  return chain.handler(async (_event, { exchange }) => {
    const call: Call<C, Classes> = {
      // The steps parsed these by the schemas that the types are inferred from.
      params: exchange.params as Call<C>['params'],
      query: exchange.query as Call<C>['query'],
      body: exchange.body as Call<C>['body'],
      caller: exchange.caller as Call<C>['caller'],
      platform: equipped(),
      baseUrl: exchange.baseUrl,
      requestName: isIdempotent(contract) ? requestName(contract, exchange) : undefined,
      refuse: (identifier, message, details) => {
        throw new RequestRefusedError(contract.refusals[identifier] ?? 500, identifier, message, details);
      },
    };
    return successReply(contract, await handle(call), exchange.requestId);
  });
}
