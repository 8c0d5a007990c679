import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** The reaction of an endpoint to a new connection. */
export type Answering = (socket: Socket) => void;

const gigabyte = 1024 ** 3;
const head = (lines: string, status = '200 OK') => `HTTP/1.1 ${status}\r\n${lines}\r\n`;
const noContent = head('content-length: 0\r\n');

/** Acts on every packet, because each request is one packet. */
const answer =
  (act: (socket: Socket) => void): Answering =>
  (socket) =>
    socket.on('data', () => act(socket));

const say = (text: string) => answer((socket) => socket.write(text));
const sayAndEnd = (text: string) => answer((socket) => socket.end(text));

/** Writes one byte at a time, forever. */
function drip(socket: Socket, everyMs: number): void {
  const timer = setInterval(() => socket.write('.'), everyMs);
  socket.on('close', () => clearInterval(timer));
}

const sayAndDrip = (text: string, everyMs: number) =>
  answer((socket) => {
    socket.write(text);
    drip(socket, everyMs);
  });

/** Writes the chunk again and again, as fast as the other side reads, until the bytes are sent. */
const flood = (text: string, chunk: string | Buffer, bytes = gigabyte) =>
  answer((socket) => {
    let sent = 0;
    socket.write(text);
    const more = () => {
      while (!socket.destroyed && sent < bytes) {
        sent += chunk.length;
        if (!socket.write(chunk)) return socket.once('drain', more);
      }
    };
    more();
  });

const chunked = head('transfer-encoding: chunked\r\n');
const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2));

/** Endpoints that abuse the transport or HTTP. The name completes the sentence "an endpoint that …". */
export const answers = {
  'accepts and never answers': () => {},
  'sends its head byte by byte': sayAndDrip('HTTP/1.1 200 OK\r\nx-head: ', 20),
  // The header of a record of 16 KB that begins with the message ServerHello.
  'sends its TLS handshake byte by byte': sayAndDrip('\u0016\u0003\u0003\u0040\0\u0002\0\u003f', 20),
  'sends its body byte by byte': sayAndDrip(head('content-length: 100000\r\n'), 20),
  'sends one byte of its body each second': sayAndDrip(head('content-length: 100000\r\n'), 1000),
  'sends an endless body byte by byte': sayAndDrip(head('connection: close\r\n'), 20),
  'sends a head and no body': say(head('content-length: 10\r\n')),
  'sends one provisional reply and nothing else': say(head('', '102 Processing')),
  'sends 100 Continue after the body': answer((socket) => {
    socket.write(head('', '100 Continue'));
    socket.write(noContent);
  }),
  'replies 417, although the request has no Expect header': say(
    head('content-length: 0\r\n', '417 Expectation Failed'),
  ),
  'sends endless provisional replies': flood('', head('', '100 Continue').repeat(1000)),
  'sends endless early hints': flood('', head('link: </a>; rel=preload\r\n', '103 Early Hints').repeat(1000)),
  'switches protocols': say(head('upgrade: x\r\nconnection: upgrade\r\n', '101 Switching Protocols')),

  'sends a body of a gigabyte': flood(head(`content-length: ${gigabyte}\r\n`), Buffer.alloc(65_536, 'a')),
  'sends an error with a body of a gigabyte': flood(
    head(`content-length: ${gigabyte}\r\n`, '500 Internal Server Error'),
    Buffer.alloc(65_536, 'a'),
  ),
  'sends endless chunks': flood(chunked, `10000\r\n${'a'.repeat(65_536)}\r\n`),
  'sends endless chunks of one byte': flood(chunked, '1\r\na\r\n'.repeat(10_000)),
  'sends an endless chunk extension': flood(`${chunked}1;`, 'x'.repeat(65_536)),
  'sends endless trailers': flood(`${chunked}0\r\n`, 'x: y\r\n'.repeat(10_000)),
  'sends a megabyte of headers': flood('HTTP/1.1 200 OK\r\n', 'x: y\r\n'.repeat(10_000), 1024 ** 2),
  'sends one header of a megabyte': flood('HTTP/1.1 200 OK\r\nx: ', 'y'.repeat(65_536), 1024 ** 2),
  'sends an endless status line': flood('HTTP/1.1 200 ', 'y'.repeat(65_536)),
  'sends a gzip bomb': answer((socket) => {
    socket.write(head(`content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n`));
    socket.write(bomb);
  }),

  'resets at once': (socket) => socket.resetAndDestroy(),
  'resets after the request': answer((socket) => socket.resetAndDestroy()),
  'resets after the head': answer((socket) => {
    socket.write(head('content-length: 10\r\n'), () => setTimeout(() => socket.resetAndDestroy(), 50));
  }),
  'half-closes at once': (socket) => socket.end(),
  'half-closes after the request': answer((socket) => socket.end()),
  'half-closes in the head': sayAndEnd('HTTP/1.1 200 OK\r\nx-head: '),
  'half-closes in the body': sayAndEnd(`${head('content-length: 10\r\n')}half`),
  'half-closes in a chunk': sayAndEnd(`${chunked}a\r\nhalf`),
  'answers and reads no request': (socket) => {
    socket.pause();
    socket.write(noContent);
  },

  'speaks HTTP/1.0': sayAndEnd('HTTP/1.0 200 OK\r\n\r\nthanks'),
  'speaks HTTP/0.9': sayAndEnd('<html>thanks</html>'),
  'speaks HTTP/2': say('\0\0\u0012\u0004\0\0\0\0\0\0\u0003\0\0\0d'),
  'speaks a future HTTP': say('HTTP/9.9 200 OK\r\ncontent-length: 0\r\n\r\n'),
  'speaks SSH': sayAndEnd('SSH-2.0-x\r\n'),
  'sends a status below 100': say(head('content-length: 0\r\n', '99 Low')),
  'sends a status of four digits': say(head('content-length: 0\r\n', '2000 OK')),
  'sends the status 999': say(head('content-length: 0\r\n', '999 High')),
  'sends two lengths': say(`${head('content-length: 1\r\ncontent-length: 2\r\n')}ab`),
  'sends a length and chunks': say(`${head('content-length: 1\r\ntransfer-encoding: chunked\r\n')}0\r\n\r\n`),
  'sends a negative length': say(head('content-length: -1\r\n')),
  'sends a chunk of impossible size': say(`${chunked}fffffffffffffffffffff\r\na`),
  'sends 204 with a body': say(`${head('content-length: 6\r\n', '204 No Content')}thanks`),
  'sends an error and a success together': say(head('content-length: 0\r\n', '500 Internal Server Error') + noContent),
  'sends an error, and a success while the connection is idle': answer((socket) => {
    socket.write(head('content-length: 0\r\n', '500 Internal Server Error'));
    setTimeout(() => socket.write(noContent), 20);
  }),
  'redirects to the metadata address': say(
    head('location: http://169.254.169.254/latest/meta-data/\r\ncontent-length: 0\r\n', '307 Temporary Redirect'),
  ),
  'replies 200': say(noContent),
} satisfies Record<string, Answering>;
