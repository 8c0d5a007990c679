import { claimPayments, claimPaymentsStores } from '../../../shared/operations/payment/claim-payments.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Assigns earlier payments to a member who linked an account. */
export const handler = consumer(declaration, claimPaymentsStores, claimPayments);
