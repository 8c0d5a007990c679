import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { isIdempotent } from '../../shared/contracts/contract.ts';
import { close, listen, toUrl } from '../../tools/local/ports.ts';
import type { Answer, Request } from '../support/call.ts';
import { endpointOf, requestsTo, send, withHeader } from '../support/endpoint-requests.ts';
import { expireLocks, itemsAdded } from '../support/test-table.ts';
import { makeWorld, type World } from '../support/world.ts';

/**
 * A request is held before one of its DynamoDB calls until the lock of its key has expired. Another request with the
 * same `Idempotency-Key` takes over, and then the held request goes on.
 */

/** Passes requests on to DynamoDB, and holds one of them back. */
class Gate {
  readonly #server: Server;
  #callsUntilHeld = Number.POSITIVE_INFINITY;
  #onHeld: () => void = () => undefined;
  #opened: Promise<void> = Promise.resolve();

  constructor(target: string) {
    this.#server = createServer(async (request, response) => {
      const body = await text(request);
      this.#callsUntilHeld -= 1;
      if (this.#callsUntilHeld === 0) {
        this.#onHeld();
        await this.#opened;
      }
      const { authorization = '', 'x-amz-target': action = '', 'content-type': type = '' } = request.headers;
      const headers = { authorization, 'x-amz-target': String(action), 'content-type': type };
      const reply = await fetch(target, { method: 'POST', headers, body });
      const content = await reply.text();
      response.writeHead(reply.status, { 'content-type': type, 'content-length': Buffer.byteLength(content) });
      response.end(content);
    });
  }

  async start(): Promise<string> {
    return toUrl(await listen(this.#server));
  }

  stop(): Promise<void> {
    return close(this.#server);
  }

  /** Holds one call: the nth, counted from now. */
  hold(nth: number): { readonly held: Promise<void>; readonly open: () => void } {
    const { promise: held, resolve } = Promise.withResolvers<void>();
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    this.#callsUntilHeld = nth;
    this.#onHeld = resolve;
    this.#opened = opened;
    return { held, open };
  }
}

let world: World;
let gate: Gate;
beforeAll(async () => {
  world = await makeWorld({ isServed: true });
  gate = new Gate(world.table.endpoint);
  // A handler makes its clients at its first call, which comes after this line.
  process.env.AWS_ENDPOINT_URL_DYNAMODB = await gate.start();
});
afterAll(() => gate.stop());

const withKey = async (endpoint: string): Promise<Request> =>
  withHeader((await requestsTo(world)[endpoint]?.()) ?? {}, 'Idempotency-Key', randomUUID());

/** Sends a request, and the same one again while the first is held at its nth call. */
async function race(endpoint: string, request: Request, nth: number) {
  const { held, open } = gate.hold(nth);
  const running = send(endpoint, request);
  const isHeld = await Promise.race([held.then(() => true), running.then(() => false)]);
  if (!isHeld) open();
  await expireLocks(world.table);
  const second = await send(endpoint, request);
  open();
  return { isHeld, first: await running, second };
}

/** Whether the held request returned the stored reply, or a refusal that shows that the other request was faster. */
const isHonest = (answer: Answer, { body }: Answer) =>
  answer.status === 409 ||
  answer.body.error === 'link_does_not_exist' ||
  (answer.status === 200 && JSON.stringify(answer.body) === JSON.stringify(body));

/** Left out: a simulation writes nothing, and an unlink by the member revokes the credential of the request. */
const others = ['simulate-campaigns', 'unlink-own-account'];
const working = contracts.filter((contract) => isIdempotent(contract) && !others.includes(contract.name));

describe.each(working.map(endpointOf))('%s', (endpoint) => {
  it('has one effect when a repeated request takes over the first request’s idempotency key', async () => {
    const undisturbed = await withKey(endpoint);
    const usual = await itemsAdded(world.table, () => send(endpoint, undisturbed));
    let holds = 0;
    for (let nth = 1, isHeld = true; isHeld; nth += 1) {
      const request = await withKey(endpoint);
      const answers: Answer[] = [];
      const effect = await itemsAdded(world.table, async () => {
        const raced = await race(endpoint, request, nth);
        isHeld = raced.isHeld;
        answers.push(raced.second, raced.first, await send(endpoint, request));
      });

      const [second, first, third] = answers as [Answer, Answer, Answer];
      expect(second.status, `held at call ${nth}`).toBe(200);
      expect([third.status, third.headers['Idempotent-Replayed'], third.body]).toEqual([200, 'true', second.body]);
      expect(isHonest(first, second), `held at call ${nth}: ${JSON.stringify([first, second])}`).toBe(true);
      expect(effect, `held at call ${nth}`).toEqual(usual);
      if (isHeld) holds += 1;
    }
    expect(holds).toBeGreaterThanOrEqual(2);
  });
});
