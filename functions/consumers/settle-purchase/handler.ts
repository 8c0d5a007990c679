import { settlePurchases } from '../../../shared/operations/purchase/settle-purchases.ts';
import { settlePurchaseStores } from '../../../shared/operations/purchase/settle-stores.ts';
import { batchConsumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Settles purchases: awards them, and reverses or restores their rewards as far as refunds and disputes require. */
export const handler = batchConsumer(declaration, settlePurchaseStores, settlePurchases);
