import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Timing } from './post-outcome.ts';

/** How far an attempt has come and when, filled in as its connection goes through its stages. */
export interface AttemptTrace {
  /** Whether a connection stands, and whether it is encrypted where it must be. */
  readonly stage: 'connecting' | 'securing' | 'ready';
  readonly address: string | undefined;
  readonly timing: Timing;
  /** To be called when the answer's head is here. */
  answered(): void;
}

const elapsed = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? undefined : Math.round((to - from) * 10) / 10;

/**
 * Follows the connection of a request.
 * @param onConnected called as soon as a connection stands, before anything of the request is written.
 */
export function traceAttempt(request: ClientRequest, onConnected: (address: string | undefined) => void): AttemptTrace {
  const startedAt = performance.now();
  const at: { lookup?: number; connect?: number; secure?: number; answer?: number } = {};
  let address: string | undefined;
  const encrypted = request.protocol === 'https:';

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
    socket.once('connect', () => {
      mark('connect')();
      connected(socket);
    });
  });

  return {
    get stage() {
      if (address === undefined) return 'connecting';
      return encrypted && !request.reusedSocket && at.secure === undefined ? 'securing' : 'ready';
    },
    get address() {
      return address;
    },
    get timing() {
      return {
        dnsMs: elapsed(startedAt, at.lookup),
        connectMs: elapsed(at.lookup ?? startedAt, at.connect),
        tlsMs: elapsed(at.connect, at.secure),
        firstByteMs: elapsed(at.secure ?? at.connect ?? startedAt, at.answer),
        totalMs: elapsed(startedAt, performance.now()) ?? 0,
      };
    },
    answered: mark('answer'),
  };
}
