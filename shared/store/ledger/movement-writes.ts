import type {
  AccountMovement,
  AssociationMovement,
  BalanceCondition,
  Movements,
} from '../../domain/ledger/movements.ts';
import { associationKey, membershipKey } from '../member/members.ts';
import { usageWrite } from '../member/usage.ts';
import { type Condition, exists, type Write } from '../table/items.ts';
import { ledgerWrite } from './ledger.ts';

/** The writes of movements: one for each account, association, counter of a limit, and row of the ledger. */
export function movementWrites({ accounts, associations, usage, entries }: Movements): Write[] {
  return [
    ...accounts.map(accountWrite),
    ...associations.map(associationWrite),
    ...usage.map(usageWrite),
    ...entries.map(ledgerWrite),
  ];
}

function accountWrite({ userId, partnerId, condition, ...moved }: AccountMovement): Write {
  const add = {
    availablePoints: moved.available,
    heldPoints: moved.held,
    ...(moved.earned !== 0 && { totalEarnedPoints: moved.earned }),
    ...(moved.redeemed !== 0 && { totalRedeemedPoints: moved.redeemed }),
    ...(moved.cashbackCents !== 0 && { cashbackCents: moved.cashbackCents }),
  };
  const when = condition ? [balanceCondition(condition)] : exists;
  return { kind: 'update', key: membershipKey(userId, partnerId), changes: { add }, when };
}

function balanceCondition({ balance, is, points }: BalanceCondition): Condition {
  const attribute = balance === 'held' ? 'heldPoints' : 'availablePoints';
  return { attribute, is: is === 'exactly' ? '=' : '>=', value: points };
}

function associationWrite({ userId, merchantId, earned, redeemed }: AssociationMovement): Write {
  const add = { totalEarnedPoints: earned, totalRedeemedPoints: redeemed };
  return { kind: 'update', key: associationKey(userId, merchantId), changes: { add }, when: exists };
}
