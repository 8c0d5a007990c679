import { claimPayments, claimPaymentsStores } from '../../../shared/operations/claim-payments.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Lets a member who linked an account claim the payments that were made before. */
export const handler = consumer(declaration, claimPaymentsStores, claimPayments);
