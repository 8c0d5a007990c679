import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Timing } from './attempt-outcome.ts';

/** The progress of an attempt, updated while its connection goes through its stages. */
export interface AttemptTrace {
  /** `connecting`: no connection yet. `securing`: TLS handshake, only for https. `ready`: the request can be sent. */
  readonly stage: 'connecting' | 'securing' | 'ready';
  readonly address: string | undefined;
  readonly timing: Timing;
  /** Records the arrival of the reply's head. */
  replied(): void;
}

const elapsed = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? undefined : Math.round((to - from) * 10) / 10;

/**
 * Follows the connection of a request.
 * @param onConnected called with the address as soon as the connection exists, before the first byte of the request is
 *   sent
 */
export function traceAttempt(request: ClientRequest, onConnected: (address: string | undefined) => void): AttemptTrace {
  const startedAt = performance.now();
  const at: { lookup?: number; connect?: number; secure?: number; reply?: number } = {};
  let address: string | undefined;
  const isEncrypted = request.protocol === 'https:';

  const connected = (socket: Socket) => {
    address = socket.remoteAddress;
    onConnected(address);
  };
  const mark = (stage: keyof typeof at) => () => {
    at[stage] ??= performance.now();
  };

  request.once('socket', (socket: Socket | TLSSocket) => {
    if (!socket.connecting) return connected(socket);
    socket.once('lookup', mark('lookup'));
    socket.once('secureConnect', mark('secure'));
    // Before the listener that begins the TLS handshake, so that a forbidden address receives no byte of it.
    socket.prependOnceListener('connect', () => {
      mark('connect')();
      connected(socket);
    });
  });

  return {
    get stage() {
      if (address === undefined) return 'connecting';
      return isEncrypted && !request.reusedSocket && at.secure === undefined ? 'securing' : 'ready';
    },
    get address() {
      return address;
    },
    get timing() {
      return {
        dnsMs: elapsed(startedAt, at.lookup),
        connectMs: elapsed(at.lookup ?? startedAt, at.connect),
        tlsMs: elapsed(at.connect, at.secure),
        firstByteMs: elapsed(at.secure ?? at.connect ?? startedAt, at.reply),
        totalMs: elapsed(startedAt, performance.now()) ?? 0,
      };
    },
    replied: mark('reply'),
  };
}
