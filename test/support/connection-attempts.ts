import { Socket } from 'node:net';
import { vi } from 'vitest';

/** Recorded connection attempts. */
export interface ConnectionAttempts {
  readonly addresses: readonly string[];
  restore(): void;
}

/**
 * Records the address of every connection that this process attempts from now on.
 * @param withheld a foreign address: an attempt to connect to it is recorded and then fails
 */
export function watchConnectionAttempts(withheld?: string): ConnectionAttempts {
  const addresses: string[] = [];
  const connect = Socket.prototype.connect;
  const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    this.on('connectionAttempt', (address) => addresses.push(address));
    this.on('lookup', (_error, address) => {
      if (address !== withheld) return;
      addresses.push(address);
      this.destroy();
    });
    return Reflect.apply(connect, this, args);
  });
  return { addresses, restore: () => spy.mockRestore() };
}
