import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { type Answering, answers } from './answers.ts';
import { secureAnswers } from './secure-answers.ts';

/**
 * A process with one endpoint per kind of abuse. It sends the ports of the endpoints to its parent process, and ends
 * together with the parent.
 */

const pem = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

const quietly = (act: Answering) => (socket: Socket) => act(socket.on('error', () => {}));

const plain = (act: Answering) => portOf(createServer({ allowHalfOpen: true }, quietly(act)));

const secured = ({ certificate, act }: { certificate: string; act: Answering }) => {
  const options: TlsOptions = { key: pem('key'), cert: pem(certificate) };
  return portOf(createTlsServer(options, quietly(act)).on('tlsClientError', () => {}));
};

/** Listens in a thread that accepts no connection, and connects until the operating system's queue is full. */
async function neverAccepting(): Promise<number> {
  const thread = new Worker(new URL('./never-accepts.ts', import.meta.url));
  const [port] = await once(thread, 'message');
  const isAccepted = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    const tooLate = AbortSignal.timeout(500);
    return once(socket, 'connect', { signal: tooLate }).then(
      () => true,
      () => false,
    );
  };
  while (await isAccepted());
  return port;
}

const ports: Record<string, number> = { 'never accepts': await neverAccepting() };
for (const [name, act] of Object.entries(answers)) ports[name] = await plain(act);
for (const [name, answer] of Object.entries(secureAnswers)) ports[name] = await secured(answer);

process.on('disconnect', () => process.exit());
process.send?.(ports);
