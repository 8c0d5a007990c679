import type { IncomingMessage } from 'node:http';
import { maximumBytes } from '../contracts/limits.ts';

const { webhookReplyBody, webhookReplyExcerpt } = maximumBytes;

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
    if (readBytes < webhookReplyExcerpt)
      beginning.push(Buffer.from(chunk.subarray(0, webhookReplyExcerpt - readBytes)));
    readBytes += chunk.length;
    if (readBytes > webhookReplyBody) onEnd('enough');
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
