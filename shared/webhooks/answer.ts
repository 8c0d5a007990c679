import type { IncomingMessage } from 'node:http';

/** The most that is read of an answer's body; its sender may go on, nobody receives it. */
const maximumAnswerBytes = 16 * 1024;
/** What is kept of it, for the delivery log. */
const excerptBytes = 512;

/** An answer that is being read. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The beginning of the body as far as it came, as text; undefined when nothing did. */
  readonly excerpt: string | undefined;
}

/** `complete`: all of it came. `enough`: there is more than anybody needs. `broken`: the connection ended first. */
export type AnswerEnd = 'complete' | 'enough' | 'broken';

/** Reads an answer's body as it is on the wire: compressed bodies are never unpacked. */
export function readAnswer(response: IncomingMessage, onEnd: (end: AnswerEnd) => void): Answer {
  const beginning: Buffer[] = [];
  let readBytes = 0;

  response.on('data', (chunk: Buffer) => {
    // Copied, for a part of a chunk would keep the whole of it in memory.
    if (readBytes < excerptBytes) beginning.push(Buffer.from(chunk.subarray(0, excerptBytes - readBytes)));
    readBytes += chunk.length;
    if (readBytes > maximumAnswerBytes) onEnd('enough');
  });
  response.on('end', () => onEnd('complete'));
  response.on('error', () => onEnd('broken'));

  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    get excerpt() {
      return readBytes === 0 ? undefined : Buffer.concat(beginning).toString('utf8');
    },
  };
}
