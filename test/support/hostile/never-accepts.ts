import { type AddressInfo, createServer } from 'node:net';
import { parentPort } from 'node:worker_threads';

const server = createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort?.postMessage((server.address() as AddressInfo).port);
  // This thread blocks its event loop, so it accepts nothing.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
