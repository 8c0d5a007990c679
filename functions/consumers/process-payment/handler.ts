import { processPayment, processPaymentStores } from '../../../shared/operations/process-payment.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Awards a payment, and reverses its rewards as far as it was refunded or disputed. */
export const handler = consumer(declaration, processPaymentStores, processPayment, ({ entityId }) => entityId);
