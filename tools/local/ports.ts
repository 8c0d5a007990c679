import { createServer, type Server } from 'node:http';

const loopback = '127.0.0.1';

/**
 * Lets the server listen on the loopback interface and returns its port. Port 0 takes any free port.
 * @throws Error when the port is in use
 */
export function listen(server: Server, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      reject(error.code === 'EADDRINUSE' ? new Error(`port ${port} is in use`, { cause: error }) : error);
    server.once('error', fail);
    server.listen(port, loopback, () => {
      server.off('error', fail);
      const address = server.address();
      if (typeof address === 'object' && address) resolve(address.port);
      else reject(new Error('the server listens on no port'));
    });
  });
}

/** Stops the server and closes its open connections. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Whether no server listens on a port of the loopback interface. */
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

/** Returns a port that is free now, for a program that cannot choose one itself. */
export async function findFreePort(): Promise<number> {
  const probe = createServer();
  const port = await listen(probe);
  await close(probe);
  return port;
}

export function toUrl(port: number): string {
  return `http://${loopback}:${port}`;
}
