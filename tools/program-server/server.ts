import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, Books, ConflictError, type Posting } from './books.ts';
import { type CallName, callNames, type Defect, defects, type Fault, Faults, faultKinds } from './faults.ts';

/** A loyalty program that keeps its own books. It follows only the published contract, as a partner's would. */

export interface ProgramOptions {
  /**
   * The secrets that the program shares with the platform (`whsec_…`); the first secret signs the program's reports.
   */
  readonly secrets: readonly string[];
  /** The URL to which the program reports; without a URL it sends no reports. */
  readonly reportUrl?: string | undefined;
  /** The file that keeps the books. */
  readonly file?: string | undefined;
}

/** A running program. */
export interface ProgramServer {
  readonly url: string;
  close(): Promise<void>;
}

/** How far the clocks of platform and program may differ. */
const toleranceSeconds = 300;

/** The delay of the defect `replies_slowly`. */
const slowReplyMs = 400;

type Json = Readonly<Record<string, unknown>>;

/** A reply, or no reply: `hang` keeps the connection open, `reset` closes it. */
type Outcome = { readonly status: number; readonly body: unknown; readonly retryAfter?: number } | 'hang' | 'reset';

/** The program refuses the request and has changed nothing. */
class RefusedError extends Error {
  readonly status: number;
  readonly identifier: string;

  constructor(status: number, identifier: string, message: string) {
    super(message);
    this.status = status;
    this.identifier = identifier;
  }
}

/** Starts a program on the loopback interface. Port 0, the default, takes any free port. */
export async function startProgramServer(options: ProgramOptions, port = 0): Promise<ProgramServer> {
  const program = new Program(options);
  const server = createServer((request, response) => void program.serve(request, response));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => closeServer(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server listens on no port');
  return address.port;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

class Program {
  readonly #books: Books;
  readonly #faults = new Faults();
  readonly #defects = new Set<Defect>();
  readonly #requests: Record<string, number> = {};
  #secrets: readonly string[];
  #reportUrl: string | undefined;

  constructor({ secrets, reportUrl, file }: ProgramOptions) {
    this.#secrets = secrets;
    this.#reportUrl = reportUrl;
    this.#books = new Books(file, (defect) => this.#defects.has(defect));
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const outcome = await this.#answer(request).catch(toRefusal);
    if (outcome === 'reset') request.socket.destroy();
    if (typeof outcome === 'string') return;
    const { status, body, retryAfter } = outcome;
    const headers = { 'content-type': 'application/json', ...(retryAfter && { 'retry-after': String(retryAfter) }) };
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  async #answer(request: IncomingMessage): Promise<Outcome> {
    const { method = '', url = '' } = request;
    const body = await text(request);
    if (url.startsWith('/control/')) return { status: 200, body: this.#control(`${method} ${url}`, parse(body)) };
    const name = callNames.find((one) => url.endsWith(`/${one}`));
    if (method !== 'POST' || !name) throw new RefusedError(404, 'not_found', 'there is no such call');
    this.#verifySignature(request.headers, body);
    this.#requests[name] = (this.#requests[name] ?? 0) + 1;
    if (this.#defects.has('replies_slowly')) await sleep(slowReplyMs);
    return this.#callWithFaults(name, this.#parseRequest(body));
  }

  #parseRequest(body: string): Json {
    if (this.#defects.has('crashes_on_malformed_requests')) return JSON.parse(body);
    const request = parse(body);
    if (typeof request.member_id !== 'string' && typeof request.transaction_uuid !== 'string') {
      throw new RefusedError(400, 'invalid_request', 'member_id or transaction_uuid is missing');
    }
    if (this.#defects.has('refuses_unknown_fields') && 'added_later' in request) {
      throw new RefusedError(400, 'invalid_request', 'added_later is not known');
    }
    return request;
  }

  async #callWithFaults(name: CallName, request: Json): Promise<Outcome> {
    const fault = this.#faults.meet(name, request);
    const { status = 500, ms = 0, retry_after: retryAfter } = fault ?? {};
    const failure = {
      status,
      body: { error: 'ordered', message: 'a fault that was ordered' },
      ...(retryAfter && { retryAfter }),
    };
    switch (fault?.fault) {
      case 'fail':
        return failure;
      case 'hang':
      case 'reset':
        return fault.fault;
      case 'slow':
        await sleep(ms);
    }
    const reply = await this.#call(name, request, fault);
    switch (fault?.fault) {
      case 'fail_after':
        return failure;
      case 'hang_after':
        return 'hang';
      case 'reset_after':
        return 'reset';
      case 'garbage':
        return { status: 200, body: '<html>It works!</html>' };
      case 'forget':
        this.#books.forget(String(request.transaction_uuid));
        break;
      case 'answer_twice':
        await Promise.all([this.#reportAnswer(request), this.#reportAnswer(request)]);
    }
    return reply;
  }

  async #call(name: CallName, request: Json, fault: Fault | undefined): Promise<Outcome> {
    switch (name) {
      case 'verify':
        return this.#verifyMember(request);
      case 'balance':
        return { status: 200, body: this.#balance(request, fault) };
      case 'transactions':
        return this.#postTransaction(request as Posting, fault);
      case 'query':
        return this.#queryTransaction(request, fault);
      case 'cancel': {
        this.#books.cancel(String(request.transaction_uuid));
        return { status: 200, body: { transaction_uuid: request.transaction_uuid, status: 'cancelled' } };
      }
    }
  }

  #verifyMember({ member_id, proof }: Json): Outcome {
    const account = this.#books.account(String(member_id));
    if (!account && this.#defects.has('tells_unknown_accounts_from_wrong_proofs')) {
      return { status: 404, body: { error: 'unknown_account' } };
    }
    const isProven = account && (account.proof === proof || this.#defects.has('verifies_any_proof'));
    if (!isProven) return { status: 200, body: { result: 'refused' } };
    const { proof: _, ...member } = account;
    return { status: 200, body: { result: 'verified', member } };
  }

  #balance({ member_id }: Json, fault: Fault | undefined): Json {
    const account = this.#books.account(String(member_id));
    if (!account) return { result: 'not_found' };
    const balance = account.balance + lieOf(fault);
    if (this.#defects.has('replies_in_another_format')) return { result: 'found', balance: String(balance) };
    return { result: 'found', balance };
  }

  async #postTransaction(posting: Posting, fault: Fault | undefined): Promise<Outcome> {
    if (!Number.isInteger(posting.points_change)) {
      throw new RefusedError(400, 'invalid_request', 'points_change must be a whole number');
    }
    if (this.#defects.has('applies_parallel_transactions_again')) return this.#postInTwoSteps(posting);
    const isLater = fault?.fault === 'accept';
    const rejection = fault?.fault === 'reject' && { reason: fault.reason ?? 'rejected on order' };
    const answer = this.#books.post(posting, { isLater, ...rejection });
    if (isLater && fault.ms !== undefined) {
      setTimeout(() => void this.#answerLater(posting.transaction_uuid, 'confirmed'), fault.ms).unref();
    }
    return { status: 200, body: withLie(answer, fault) };
  }

  /**
   * A defect on purpose: reads first and writes later, so several parallel requests for one transaction all find it
   * unknown.
   */
  async #postInTwoSteps(posting: Posting): Promise<Outcome> {
    const isKnown = this.#books.query(posting.transaction_uuid).status !== 'not_found';
    await sleep(20);
    if (!isKnown) {
      const { points_change } = posting;
      const isFirst = this.#books.query(posting.transaction_uuid).status === 'not_found';
      if (!isFirst) this.#books.moveOwn(posting.member_id, points_change);
    }
    return { status: 200, body: this.#books.post(posting) };
  }

  #queryTransaction({ transaction_uuid }: Json, fault: Fault | undefined): Outcome {
    const answer = this.#books.query(String(transaction_uuid));
    const isAbsent = answer.status === 'not_found' && this.#defects.has('answers_unknown_transactions_with_404');
    return isAbsent ? { status: 404, body: { error: 'not_found' } } : { status: 200, body: withLie(answer, fault) };
  }

  #verifySignature(headers: IncomingMessage['headers'], body: string): void {
    if (this.#defects.has('accepts_unsigned_requests')) return;
    const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': given = '' } = headers;
    const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
    const isFresh = ageSeconds <= toleranceSeconds || this.#defects.has('ignores_the_age_of_requests');
    const signatures = String(given).split(' ');
    const considered = this.#defects.has('knows_only_the_first_signature') ? signatures.slice(0, 1) : signatures;
    const signed = this.#defects.has('signs_the_parsed_body') ? JSON.stringify(parse(body)) : body;
    const isSigned = this.#secrets.some((secret) => {
      const expected = Buffer.from(sign(secret, `${id}.${timestamp}.${signed}`));
      return considered.map((one) => Buffer.from(one)).some((one) => isEqual(one, expected));
    });
    if (!isFresh || !isSigned) throw new RefusedError(401, 'invalid_signature', 'the signature is not valid');
  }

  /** Answers an accepted transaction, and reports it to the platform. */
  async #answerLater(uuid: string, status: 'confirmed' | 'rejected', reason?: string): Promise<void> {
    this.#books.answer(uuid, status, reason);
    await this.#reportAnswer({ transaction_uuid: uuid });
  }

  #reportAnswer({ transaction_uuid }: Json): Promise<void> {
    return this.#report({ type: 'transaction.answered', data: { transaction_uuid } });
  }

  /** Sends a report once. A real program repeats the report until the platform replies 200. */
  async #report(report: object): Promise<void> {
    const [secret] = this.#secrets;
    if (this.#reportUrl === undefined || secret === undefined) return;
    const body = JSON.stringify(report);
    const id = crypto.randomUUID();
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': sign(secret, `${id}.${timestamp}.${body}`),
    };
    const sent = await fetch(this.#reportUrl, { method: 'POST', headers, body }).catch((error: Error) => error);
    const count = sent instanceof Error ? 'reports failed' : `reports ${sent.status}`;
    this.#requests[count] = (this.#requests[count] ?? 0) + 1;
  }

  /** The calls by which tests and the demonstration steer the program. A real program has none of them. */
  #control(route: string, body: Json): unknown {
    switch (route) {
      case 'GET /control/books':
        return { ...this.#books.content, requests: this.#requests };
      case 'PUT /control/accounts':
        this.#books.open(body.accounts as Account[]);
        return {};
      case 'POST /control/faults':
        this.#faults.order(readFault(body));
        return {};
      case 'DELETE /control/faults':
        this.#faults.clear();
        return {};
      case 'PUT /control/defects':
        this.#defects.clear();
        for (const defect of (body.defects ?? []) as Defect[]) this.#defects.add(requireOneOf(defects, defect));
        return {};
      case 'PUT /control/settings':
        if (Array.isArray(body.secrets)) this.#secrets = body.secrets.map(String);
        if (typeof body.report_url === 'string') this.#reportUrl = body.report_url;
        return {};
      case 'POST /control/answers':
        void this.#answerLater(
          String(body.transaction_uuid),
          requireOneOf(['confirmed', 'rejected'] as const, body.status),
          typeof body.reason === 'string' ? body.reason : undefined,
        );
        return {};
      case 'POST /control/movements':
        this.#books.moveOwn(String(body.member_id), Number(body.points));
        void this.#report({ type: 'balance.changed', data: { member_id: body.member_id } });
        return {};
      case 'POST /control/losses':
        this.#books.forget(String(body.transaction_uuid));
        return {};
      default:
        throw new RefusedError(404, 'not_found', `there is no control call ${route}`);
    }
  }
}

const lieOf = (fault: Fault | undefined): number => (fault?.fault === 'lie' ? (fault.points ?? 1) : 0);

const withLie = <Reply extends { readonly balance?: number }>(reply: Reply, fault: Fault | undefined): Reply =>
  reply.balance === undefined ? reply : { ...reply, balance: reply.balance + lieOf(fault) };

function readFault(body: Json): Fault {
  const { fault, call, ...details } = body;
  return {
    ...(details as Omit<Fault, 'fault' | 'call'>),
    fault: requireOneOf(faultKinds, fault),
    ...(call !== undefined && { call: requireOneOf(callNames, call) }),
  };
}

function requireOneOf<Name extends string>(names: readonly Name[], given: unknown): Name {
  const found = names.find((name) => name === given);
  if (found === undefined) throw new RefusedError(400, 'invalid_request', `${given} is none of ${names.join(', ')}`);
  return found;
}

function parse(body: string): Json {
  if (body === '') return {};
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Json;
  } catch {
    // Text that is not JSON is refused below, like JSON that is not an object.
  }
  throw new RefusedError(400, 'invalid_request', 'the body is not a JSON object');
}

function toRefusal(error: unknown): Outcome {
  if (error instanceof ConflictError) {
    return { status: 409, body: { error: 'transaction_conflict', message: error.message } };
  }
  if (error instanceof RefusedError) {
    return { status: error.status, body: { error: error.identifier, message: error.message } };
  }
  return { status: 500, body: { error: 'unexpected_error', message: String(error) } };
}

/** Standard Webhooks 1.0.0. The key is the decoded base64 text after `whsec_`. */
function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

const isEqual = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);
