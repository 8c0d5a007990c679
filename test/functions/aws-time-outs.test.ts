import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBus, openClock, openDeliverQueue } from '../../shared/runtime/ports.ts';
import { openRuntime, readConfig } from '../../shared/runtime/runtime.ts';
import { close, listen, toUrl } from '../../tools/local/ports.ts';

/** A service that never answers the first request of a client. It answers all later requests. */
class DeafService {
  readonly #server: Server;
  readonly #heard = new Set<string>();

  constructor() {
    this.#server = createServer(async (request, response) => {
      const service = /\/(\w+)\/aws4_request/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      await text(request);
      if (this.#heard.has(service)) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      else this.#heard.add(service);
    });
  }

  async start(): Promise<string> {
    return toUrl(await listen(this.#server));
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return close(this.#server);
  }
}

const service = new DeafService();
beforeAll(async () => {
  const url = await service.start();
  Object.assign(process.env, {
    STAGE: 'local',
    TABLE_NAME: 'table',
    BASE_URL: 'http://127.0.0.1',
    BUS_NAME: 'bus',
    QUEUE_URL_DELIVER: `${url}/queue`,
    SCHEDULE_GROUP: 'group',
    SCHEDULE_ROLE_ARN: 'role',
    SCHEDULE_TARGET_ARN: 'target',
    SCHEDULE_DEAD_LETTER_ARN: 'dead',
    AWS_ENDPOINT_URL: url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
});
afterAll(() => service.stop());

it('a call to a service that does not answer is repeated after two seconds', async () => {
  const config = readConfig(process.env);
  const campaign = { campaignId: 1, versionNumber: 1 };
  const startedAt = performance.now();

  await Promise.all([
    openRuntime(config).table.get({ pk: 'x', sk: 'y' }),
    openBus(config).publishDue([campaign as never]),
    openDeliverQueue(config).send([{ subscription: { subscriptionId: 's' } } as never]),
    openClock(config).unset('name'),
  ]);

  const seconds = (performance.now() - startedAt) / 1_000;
  expect(seconds).toBeGreaterThan(1.9);
  expect(seconds).toBeLessThan(6);
}, 20_000);
