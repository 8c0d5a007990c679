import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import { close, listen, toUrl } from '../local/ports.ts';

/** Above this size of headers, Node itself replies 431. */
const headerLimitBytes = 256 * 1024;

/** The place where the hosts' APIs are served. */
export interface Gateway {
  readonly port: number;
  readonly certificate: string;
  /** The name of the APIs' stage: the first part of every path. */
  readonly stage: string;
  /** The ids of the APIs, by host. */
  readonly apiIds: Readonly<Record<string, string>>;
}

/** Gives each host an address of its own, as a custom domain name does. So paths do not contain the API's stage. */
export class HostProxies {
  readonly urls: Readonly<Record<string, string>>;
  readonly #servers: readonly Server[];
  readonly #agent = new Agent({ keepAlive: true });
  #gateway: Gateway | undefined;

  private constructor(servers: Readonly<Record<string, { readonly server: Server; readonly port: number }>>) {
    this.urls = Object.fromEntries(Object.entries(servers).map(([host, { port }]) => [host, toUrl(port)]));
    this.#servers = Object.values(servers).map(({ server }) => server);
    for (const [host, { server }] of Object.entries(servers)) {
      server.on('request', (received, reply) => this.#forward(host, received, reply));
    }
  }

  /**
   * Takes a free port for each host. The functions know the hosts' URLs, so the ports are needed before the deployment.
   */
  static async open(hosts: readonly string[]): Promise<HostProxies> {
    const opened = hosts.map(async (host) => {
      const server = createServer({ maxHeaderSize: headerLimitBytes });
      return [host, { server, port: await listen(server) }] as const;
    });
    return new HostProxies(Object.fromEntries(await Promise.all(opened)));
  }

  connect(gateway: Gateway): void {
    this.#gateway = gateway;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await Promise.all(this.#servers.map(close));
  }

  #forward(host: string, received: IncomingMessage, reply: ServerResponse): void {
    const apiId = this.#gateway?.apiIds[host];
    if (this.#gateway === undefined || apiId === undefined) {
      reply.writeHead(503).end(`the host ${host} is not deployed`);
      return;
    }
    const { port, certificate, stage } = this.#gateway;
    const { rawHeaders } = received;
    const names = rawHeaders.filter((_, position) => position % 2 === 0);
    const headers = names.flatMap((name, position) =>
      name.toLowerCase() === 'host' ? [] : [name, rawHeaders[position * 2 + 1] ?? ''],
    );
    const forwarded = request(
      {
        host: '127.0.0.1',
        port,
        ca: certificate,
        agent: this.#agent,
        method: received.method,
        path: `/${stage}${received.url}`,
        headers: [...headers, 'Host', `${apiId}.execute-api.127.0.0.1`],
      },
      (response) => {
        reply.writeHead(response.statusCode ?? 502, response.rawHeaders);
        response.pipe(reply);
      },
    );
    forwarded.on('error', () => reply.destroy());
    received.pipe(forwarded);
  }
}
