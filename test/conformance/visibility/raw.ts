import { codeHostOf } from '../../../functions/contracts.ts';
import type { AnyContract } from '../../../shared/contracts/contract.ts';
import type { Reply } from '../../../shared/http/reply.ts';
import { eventOf, type Request } from '../../support/call.ts';

/** A reply byte for byte, without the request's id. */
export interface RawReply {
  readonly status: number;
  /** Names and values, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
}

type Handler = (event: unknown, context: unknown) => Promise<Reply>;

/** Sends a request to the Lambda of a contract. */
export async function send(contract: AnyContract, request: Request): Promise<RawReply> {
  const { handler }: { handler: Handler } = await import(
    `../../../functions/${codeHostOf(contract)}/${contract.name}/handler.ts`
  );
  const event = eventOf(contract, request);
  const { requestId } = event.requestContext;
  const { statusCode, headers, body } = await handler(event, { awsRequestId: requestId });
  if (headers['x-request-id'] !== requestId) throw new Error('the reply does not name its request');

  const without = (text: string) => text.replaceAll(requestId, '<request id>');
  return {
    status: statusCode,
    headers: Object.entries(headers).map(([name, value]) => [name, without(value)] as const),
    text: without(body),
  };
}

/** Returns a reply in one line: its status, and the identifier of a refusal. */
export function verdictOf(contract: AnyContract, { status, text }: RawReply): string {
  if (status < 300) return String(status);
  if (contract.envelope === 'page')
    return `${status} ${status === 303 ? 'page' : (/<p[^>]*>([^<]*)/.exec(text)?.[1] ?? '')}`;
  return `${status} ${JSON.parse(text)[contract.errorField]}`;
}
