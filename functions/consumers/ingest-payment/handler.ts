import { once } from '../../../shared/domain/memoize.ts';
import { ingestPayment, ingestPaymentStores } from '../../../shared/operations/payment/ingest-payment.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { openDeadLetters } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { consumer as declaration } from './consumer.ts';

const deadLetters = once(() => openDeadLetters(runtime().config));

/** Records an event of a payment platform. */
export const handler = consumer(declaration, ingestPaymentStores, (text, deps) =>
  ingestPayment(text, { ...deps, deadLetters: deadLetters() }),
);
