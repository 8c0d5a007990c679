import { Reversals } from '../../store/ledger/reversals.ts';
import { awardEventStores } from '../award/award-event.ts';
import type { Deps } from '../operation.ts';
import { findPayerStores } from './find-payer.ts';
import { loadBookStores } from './load-book.ts';
import { moveRewardsStores } from './move-rewards.ts';

/** The repositories with which purchases are settled. */
export const settlePurchaseStores = {
  ...awardEventStores,
  ...loadBookStores,
  ...findPayerStores,
  ...moveRewardsStores,
  reversals: Reversals,
};
export type SettleDeps = Deps<typeof settlePurchaseStores>;
