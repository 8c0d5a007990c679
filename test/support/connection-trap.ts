import { once } from 'node:events';
import { type AddressInfo, createServer, isIP, type LookupFunction, Socket, type TcpSocketConnectOpts } from 'node:net';
import { vi } from 'vitest';

/** A listener that receives every connection of this process, whatever address the process wanted to reach. */
export interface ConnectionTrap {
  /** The addresses to which this process tried to connect, including the addresses that name lookups returned. */
  readonly targets: readonly string[];
  /** The number of connections that the listener has accepted. */
  readonly accepted: number;
  /** Forgets targets and connections. */
  reset(): void;
  release(): Promise<void>;
}

/**
 * Redirects every connection of this process to one listener on loopback. The listener counts each connection and ends
 * it. If the caller looks up a name itself and the lookup fails, there is no connection.
 */
export async function trapConnections(): Promise<ConnectionTrap> {
  const targets: string[] = [];
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    socket.on('error', () => {}).destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;

  const divertLookup =
    (lookup: LookupFunction): LookupFunction =>
    (host, options, callback) =>
      lookup(host, options, (error, found, family) => {
        if (error) return callback(error, found, family);
        targets.push(...(Array.isArray(found) ? found.map(({ address }) => address) : [found]));
        if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
        else callback(null, '127.0.0.1', 4);
      });

  const divert = (options: TcpSocketConnectOpts): TcpSocketConnectOpts => {
    const { host = 'localhost', lookup } = options;
    if (isIP(host) !== 0) {
      targets.push(host);
      return { ...options, port, host: '127.0.0.1' };
    }
    if (!lookup) throw new Error(`a connection to ${host} without a guarded lookup`);
    return { ...options, port, lookup: divertLookup(lookup) };
  };

  const connect = Socket.prototype.connect;
  const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    const [first] = args;
    // Node's clients pass the options in an array.
    if (Array.isArray(first)) first[0] = divert(first[0]);
    else args[0] = divert(first as TcpSocketConnectOpts);
    return Reflect.apply(connect, this, args);
  });

  return {
    targets,
    get accepted() {
      return accepted;
    },
    reset() {
      targets.length = 0;
      accepted = 0;
    },
    async release() {
      spy.mockRestore();
      server.close();
      await once(server, 'close');
    },
  };
}
