import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const loopback = '127.0.0.1';

/** Has the server listen on the loopback interface; port 0 takes any. Gives the port it got. */
export function listen(server: Server, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      reject(error.code === 'EADDRINUSE' ? new Error(`port ${port} is in use`, { cause: error }) : error);
    server.once('error', fail);
    server.listen(port, loopback, () => {
      server.off('error', fail);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops the server, the connections that are open included. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Whether nothing listens on a port of the loopback interface yet. */
export async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await listen(probe, port);
    return true;
  } catch {
    return false;
  } finally {
    await close(probe);
  }
}

/** A port that is free at this moment, for a process that cannot choose one itself. */
export async function anyFreePort(): Promise<number> {
  const probe = createServer();
  const port = await listen(probe);
  await close(probe);
  return port;
}

export function url(port: number): string {
  return `http://${loopback}:${port}`;
}
