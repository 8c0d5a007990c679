import type { APIGatewayProxyEvent } from 'aws-lambda';
import { handler as authenticateTransaction } from '../../functions/reward/authenticate-transaction/handler.ts';
import { handler as createTransaction } from '../../functions/reward/create-transaction/handler.ts';
import type { MortalRequest } from './mortals.ts';

/** Runs one request with the real handlers, in a process that the test may kill. */

const handlers = { authenticateTransaction, createTransaction };

process.on('message', ({ handler, event }: MortalRequest) => {
  const answer = handlers[handler] as (event: APIGatewayProxyEvent, context: object) => Promise<unknown>;
  void answer(event, { awsRequestId: event.requestContext.requestId }).then((reply) => process.send?.(reply));
});
process.send?.('ready');
