import { Socket } from 'node:net';
import { vi } from 'vitest';

/** What a watch saw. */
export interface ConnectionAttempts {
  readonly addresses: readonly string[];
  restore(): void;
}

/**
 * Lists the address of every connection that this process begins from now on, whatever comes of it.
 * @param withheld an address that is listed and not really connected to: one of somebody else's
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
