import http from 'node:http';
import https from 'node:https';
import { maximumCount, webhookMs } from '../contracts/limits.ts';

const options = {
  keepAlive: true,
  maxFreeSockets: maximumCount.idleConnections,
  timeout: webhookMs.idleConnection,
};

/**
 * Creates the agents that keep connections. While more than `maximumConnections` are open, they close a connection after
 * its request: connections to many endpoints would use up the files that a process may open. They delay no request;
 * Node's own limit would let requests to new endpoints wait for the connections of others.
 */
export function createAgents(maximumConnections: number): Readonly<Record<'http:' | 'https:', http.Agent>> {
  let open = 0;

  const bound = (agent: http.Agent): http.Agent => {
    const createConnection = agent.createConnection.bind(agent);
    const keepSocketAlive: (...args: Parameters<http.Agent['keepSocketAlive']>) => unknown =
      agent.keepSocketAlive.bind(agent);
    return Object.assign(agent, {
      createConnection: (...args: Parameters<typeof createConnection>) => {
        const socket = createConnection(...args);
        open += 1;
        socket?.once('close', () => {
          open -= 1;
        });
        return socket;
      },
      keepSocketAlive: (...args: Parameters<typeof keepSocketAlive>) =>
        open <= maximumConnections && keepSocketAlive(...args),
    });
  };

  return { 'http:': bound(new http.Agent(options)), 'https:': bound(new https.Agent(options)) };
}
