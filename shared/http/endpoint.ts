import middy, { type Request } from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import httpUrlencodeBodyParser from '@middy/http-urlencode-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod/mini';
import { type AnyContract, isIdempotent, managementRefusals } from '../contracts/contract.ts';
import { maximumBytes, maximumCharacters } from '../contracts/limits.ts';
import { isUuid } from '../domain/ids.ts';
import { once } from '../domain/memoize.ts';
import type { Deps, Replying, StoreClasses } from '../operations/operation.ts';
import { logger, type Runtime, runtime, withStores } from '../runtime/runtime.ts';
import { followingFrom, watchingWrites } from '../store/table/table-client.ts';
import { replayReplies } from './idempotency.ts';
import { identifyByKey } from './identify-by-key.ts';
import { prepareReplies, type RefusalDetails, type Replies, type Reply, RequestRefusedError } from './reply.ts';
import {
  type AnonymousCaller,
  type ConnectingCaller,
  type EndpointContext,
  type Headers,
  type IdentifyCaller,
  type IncomingRequest,
  type OrganisationCaller,
  type PaymentAccountCaller,
  type ProgramCaller,
  prepareParser,
  type SignedInCaller,
  type StaffCaller,
  type Step,
  type UserCaller,
} from './request.ts';
import { measureRequest } from './request-metrics.ts';
import { ignoredFieldsHeader, ignoredFieldsText, prepareUnknownFields } from './unknown-fields.ts';

/** The type of the caller for the contract's kind of credential. */
type CallerOf<C extends AnyContract> = CallersByKind[C['credential']['kind']];
interface CallersByKind {
  readonly partnerKey: OrganisationCaller;
  readonly bearer: OrganisationCaller;
  readonly client: OrganisationCaller;
  readonly userToken: UserCaller;
  readonly connectToken: ConnectingCaller;
  readonly programSignature: ProgramCaller;
  readonly paymentSignature: PaymentAccountCaller;
  readonly staff: StaffCaller;
  readonly staffSession: SignedInCaller;
  readonly optionalStaffSession: SignedInCaller | AnonymousCaller;
  readonly none: AnonymousCaller;
}

/** One call of an endpoint: the request's parts as the contract types them, and the deps of the operation. */
export interface Call<C extends AnyContract, Classes extends StoreClasses = StoreClasses> {
  readonly params: z.infer<NonNullable<C['params']>>;
  readonly query: z.infer<NonNullable<C['query']>>;
  readonly body: z.infer<NonNullable<C['body']>>;
  readonly caller: CallerOf<C>;
  readonly deps: Runtime & Deps<Classes>;
  /** The revision that the request names, if the contract asks for one. */
  readonly revision: NonNullable<C['namesRevision']> extends true ? number : undefined;
  /** The headers of the request; names in lower case. */
  readonly headers: Headers;
  /** Adds a `Set-Cookie` header to the reply, whether the request succeeds or not. */
  readonly setCookie: (cookie: string) => void;
  /** The URL of this host for callers, without a slash at the end. From the configuration, never from the request. */
  readonly baseUrl: string;
  /**
   * Runs the operation and replies with its result. The reply is made before the operation writes. So one DynamoDB
   * transaction can store the work of the operation and the reply (`Idempotency-Key`).
   *
   * @param view makes the data of the reply from the operation's result
   * @param work calls the operation
   */
  readonly replyWith: <Result extends object>(
    view: (result: Result) => z.input<C['data']>,
    work: (deps: Runtime & Deps<Classes> & Replying<Result>) => Promise<Result>,
  ) => Promise<z.input<C['data']>>;
  /** Refuses with one of the contract's identifiers. Always throws. */
  readonly refuse: (identifier: keyof C['refusals'] & string, message: string, details?: RefusalDetails) => never;
}

/**
 * Makes the Lambda of a contract. The steps that all endpoints share run in the order of the list below;
 * errors and replies pass them in reverse. Everything that depends only on the contract is prepared here, once.
 *
 * An error in the contract's `errors` becomes the refusal that is assigned to it there. An {@link InvalidInputError}
 * becomes the faults of an invalid request. A {@link ContentionError} becomes 429, and a {@link TableUnavailableError}
 * becomes 503 if the handler had sent no write before.
 *
 * @param stores the repositories that the operation uses, under their names in the operation's deps
 * @example
 * export const handler = endpoint(contract, refundOrderStores, async ({ params, body, caller, deps }) => …);
 */
export const endpoint = /* @__PURE__ */ endpointFor(identifyByKey);

/** Makes an {@link endpoint} function for callers that are identified in another way. */
// @__NO_SIDE_EFFECTS__
export function endpointFor(identify: IdentifyCaller) {
  return endpointWith({ identify, replay: replayReplies, measure: measureRequest });
}

/** What differs between the endpoints of partners and those of the dashboard. */
export interface HostSteps {
  readonly identify: IdentifyCaller;
  /** Makes the step that replays the reply of an earlier request. The bundle has its code only if a host names it. */
  readonly replay?: typeof replayReplies;
  /** Writes the metrics of a request. */
  readonly measure?: typeof measureRequest;
  /** Called before the reply to a request that is refused. */
  readonly onRefusal?: (
    contract: AnyContract,
    incoming: Partial<IncomingRequest>,
    refusal: RequestRefusedError,
  ) => Promise<void>;
}

/** Makes an {@link endpoint} function from the steps of a host. */
export function endpointWith({ identify: identifyCaller, replay, measure, onRefusal }: HostSteps) {
  return <C extends AnyContract, Classes extends StoreClasses>(
    contract: C,
    stores: Classes,
    handle: (call: Call<C, Classes>) => Promise<z.input<C['data']>>,
  ) => {
    const replies = prepareReplies(contract);
    const deps = once(() => withStores(runtime(), stores));
    const refuse: Call<C>['refuse'] = (identifier, message, details) => {
      throw new RequestRefusedError(contract.refusals[identifier] ?? 500, identifier, message, details);
    };

    const chain = middy<APIGatewayProxyEvent, Reply, Error, EndpointContext>({ requestEnd: finish(contract, measure) })
      .use(answerErrors(contract, replies, onRefusal))
      .use(httpHeaderNormalizer())
      .use(readRequest)
      .use(limitBody(contract))
      .use(identify(contract, identifyCaller));
    if (contract.body) chain.use(contract.bodyType === 'form' ? httpUrlencodeBodyParser() : httpJsonBodyParser());
    if (contract.namesRevision) chain.use(readRevision);
    chain.use(parseRequest(contract, replies));
    if (replay && isIdempotent(contract)) chain.use(replay(contract, replies));

    return chain.handler(async (_event, { incoming }) => {
      const { caller, parts, revision } = incoming;
      // The steps have parsed the parts with the schemas from which these types are inferred.
      const typed = { ...parts, caller, revision } as Pick<
        Call<C>,
        'params' | 'query' | 'body' | 'caller' | 'revision'
      >;
      const setCookie = (cookie: string) => {
        incoming.cookies.push(cookie);
      };
      const replyWith: Call<C, Classes>['replyWith'] = async (view, work) =>
        view(
          await storeWithWork(
            incoming,
            (result) => replies.success(view(result), incoming.id),
            (replying) => work({ ...deps(), ...replying }),
          ),
        );
      const { baseUrl } = deps().config;
      // Callers can choose the request id. Only a UUID is stored with items, because a longer text would make them
      // larger.
      const origins = { byEntity: new Map(), otherwise: isUuid(incoming.id) ? incoming.id : undefined };
      const noteWrite = () => {
        incoming.mayHaveWritten = true;
      };
      const data = await watchingWrites(noteWrite, () =>
        followingFrom(origins, () =>
          handle({ ...typed, deps: deps(), baseUrl, replyWith, refuse, setCookie, headers: incoming.headers }),
        ),
      );
      return incoming.storedReply ?? replies.success(data, incoming.id);
    });
  };
}

/**
 * Runs an operation that stores its own reply. Puts the stored reply into `incoming`, and the endpoint sends exactly
 * this reply.
 */
async function storeWithWork<Result extends object>(
  incoming: IncomingRequest,
  replyTo: (result: Result) => Reply,
  work: (replying: Replying<Result>) => Promise<Result>,
): Promise<Result> {
  const { replyWrite } = incoming;
  if (!replyWrite) return work({});
  const prepared = new Map<Result, Reply>();
  const replyWrites = (result: Result) => {
    const reply = replyTo(result);
    prepared.set(result, reply);
    return [replyWrite(reply)];
  };
  const result = await work({ replyWrites });
  // An operation that wrote nothing has prepared no reply.
  incoming.storedReply = prepared.get(result);
  return result;
}

/** Completes the reply of each request, including refused and failed ones, and the reply that was stored before. */
function finish(contract: AnyContract, measure: HostSteps['measure']) {
  const log = observe(contract, measure);
  return (request: Request): void => {
    const { incoming } = request.context as Partial<EndpointContext>;
    const reply = request.response as Reply & { headers: Record<string, string>; multiValueHeaders?: object };
    if (incoming?.ignoredFields) reply.headers[ignoredFieldsHeader] = incoming.ignoredFields;
    if (incoming?.cookies?.length) reply.multiValueHeaders = { 'Set-Cookie': incoming.cookies };
    log(request);
  };
}

/** Writes one log line and the metrics of each request, including refused and failed ones. */
function observe(contract: AnyContract, measure: HostSteps['measure']) {
  return (request: Request): void => {
    const { incoming } = request.context as Partial<EndpointContext>;
    const { statusCode } = request.response as Reply;
    const durationMs = incoming ? Math.round(performance.now() - incoming.startedAtMs) : 0;
    logger().info('request', {
      requestId: incoming?.id,
      endpoint: `${contract.method} ${contract.host}${contract.path}`,
      organisationId: incoming?.caller?.organisationId,
      ...(incoming?.caller && 'staffId' in incoming.caller && { staffId: incoming.caller.staffId }),
      status: statusCode,
      durationMs,
    });
    measure?.(contract, statusCode, durationMs);
  };
}

/** Turns errors into replies, and logs the errors that the contract does not foresee. */
function answerErrors(
  contract: AnyContract,
  { failure, refusalFor }: Replies,
  onRefusal: HostSteps['onRefusal'],
): Step {
  const refuse = async (incoming: IncomingRequest, error: unknown): Promise<unknown> => {
    const refusal = refusalFor(error);
    try {
      if (refusal) await onRefusal?.(contract, incoming, refusal);
      return error;
    } catch (failed) {
      return failed;
    }
  };
  return {
    onError: async (request) => {
      const { requestId } = request.event.requestContext;
      const { incoming } = request.context;
      const error = await refuse(incoming, request.error);
      if (!refusalFor(error)) logger().error('request failed', { requestId, error });
      request.response = failure(error, requestId, incoming.mayHaveWritten ?? false);
    },
  };
}

const readRequest: Step = {
  before: (request) => {
    const { event } = request;
    const body = event.body ?? '';
    const read: Partial<IncomingRequest> = {
      id: event.requestContext.requestId,
      startedAtMs: performance.now(),
      headers: event.headers,
      path: event.path,
      cookies: [],
      rawBody: event.isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body,
    };
    request.context.incoming = read as IncomingRequest;
    event.pathParameters &&= shortened(event.pathParameters);
  },
};

/**
 * Cuts path parameters that are longer than any id. What is left is an unknown id, which every endpoint refuses. The
 * whole text could be too long for a key of DynamoDB.
 */
function shortened(parameters: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const entries = Object.entries(parameters);
  return Object.fromEntries(entries.map(([name, value]) => [name, value?.slice(0, maximumCharacters.pathParameter)]));
}

function identify(contract: AnyContract, identifyCaller: IdentifyCaller): Step {
  return {
    before: async (request) => {
      const { incoming } = request.context;
      const { pathParameters, requestContext } = request.event;
      const address = requestContext.identity?.sourceIp ?? '';
      incoming.caller = await identifyCaller(contract, {
        headers: incoming.headers,
        path: pathParameters ?? {},
        address,
        body: incoming.rawBody,
      });
    },
  };
}

/**
 * Refuses a body that is too large, before it is parsed or its signature is checked (docs/gaps.md, "Errors"). The reply
 * is the same for every caller, so it tells nothing.
 */
const limitBody = ({ maximumBodyBytes = maximumBytes.requestBody }: AnyContract): Step => ({
  before: (request) => {
    if (Buffer.byteLength(request.context.incoming.rawBody) <= maximumBodyBytes) return;
    throw new RequestRefusedError(413, 'request_too_large', `The body is larger than ${maximumBodyBytes / 1024} KB`);
  },
});

/** Reads the revision in `If-Match`: a number in quotation marks, as an entity tag (RFC 9110, 13.1.1). */
const readRevision: Step = {
  before: (request) => {
    const { incoming } = request.context;
    const [, revision] = /^"(\d{1,15})"$/.exec(incoming.headers['if-match'] ?? '') ?? [];
    if (revision === undefined) {
      const { status, identifier } = managementRefusals.revisionMissing;
      throw new RequestRefusedError(status, identifier, 'If-Match must name the revision that is changed, such as "7"');
    }
    incoming.revision = Number(revision);
  },
};

function parseRequest(contract: AnyContract, replies: Replies): Step {
  const parse = prepareParser(contract, replies);
  const findUnknownFields = prepareUnknownFields(contract);
  return {
    before: (request) => {
      const { misspelt, ignored } = findUnknownFields(request.event.body);
      request.context.incoming.ignoredFields = ignoredFieldsText(ignored);
      request.context.incoming.parts = parse(request.event, misspelt);
    },
  };
}
