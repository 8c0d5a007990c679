import { createHash } from 'node:crypto';
import { plainError } from '../../domain/errors.ts';
import { isOrder, Refund, type Refundable, withStates } from '../../domain/order/refund.ts';
import { claimKey, parseClaim } from '../award/claims.ts';
import { refundReceivedWrite } from '../outbox/outbox.ts';
import {
  ConditionFailedError,
  defineEntity,
  isNew,
  type Key,
  Repository,
  type RequestContext,
} from '../table/table-client.ts';
import { orderDigest, orderKey, parseOrder } from './orders.ts';

/**
 * Refunds. A refund is in the partition of its order or of its award claim, under a digest of the id that the merchant
 * gave the refund.
 */

const refunds = defineEntity(Refund, (of: Refundable, externalRefundId: string) => ({
  pk: keyOf(of).pk,
  sk: `${prefixOf(of)}${createHash('sha256').update(externalRefundId).digest('hex')}`,
}));

/** The beginning of the sort keys of refunds. */
export const refundPrefix = 'REFUND#';

const keyOf = (of: Refundable): Key => (isOrder(of) ? orderKey(of) : claimKey(of));

/** A partition may contain several orders, but only one claim. */
const prefixOf = (of: Refundable) =>
  isOrder(of) ? `${refundPrefix}${orderDigest(of).toString('hex')}#` : refundPrefix;

/** A refund with this id exists already. */
export class RefundExistsError extends Error {
  override readonly name = 'RefundExistsError';
  readonly refund: Refund;

  constructor(refund: Refund) {
    super('The refund id was used before, for another amount');
    this.refund = refund;
  }
}

/** The refund is more than the amount that is left to refund. */
export class RefundExceedsTotalError extends plainError(
  'RefundExceedsTotalError',
  'The refunds would be more than the total',
) {}

/** An order, or the claim of a token, with its refunds. */
export interface WithRefunds {
  readonly of: Refundable;
  /** The oldest first. */
  readonly refunds: readonly Refund[];
}

/** Refunds of orders and of award claims. */
export class Refunds extends Repository {
  /**
   * An order or a claim as it is now, with its refunds, in one read; undefined when the order or claim does not exist.
   */
  async findWith(of: Refundable): Promise<WithRefunds | undefined> {
    const { pk: partition, sk } = keyOf(of);
    const items = await this.table.query({ partition });
    const main = items.find((item) => item.sk === sk);
    if (!main) return undefined;
    const own = items.filter((item) => item.sk.startsWith(prefixOf(of))).map(refunds.parse);
    const present = isOrder(of) ? parseOrder(main) : parseClaim(main);
    return {
      of: present,
      refunds: withStates(
        present,
        own.toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1)),
      ),
    };
  }

  /**
   * Writes a new refund and announces it to the platform's own consumers.
   *
   * @throws RefundExistsError with the earlier refund that has the same id
   * @throws RefundExceedsTotalError when the refund is more than the amount that is left to refund
   */
  async add(of: Refundable, refund: Refund, context: RequestContext): Promise<void> {
    const { amountCents } = refund;
    const total = isOrder(of)
      ? ({ attribute: 'totalCents', cents: of.totalCents } as const)
      : ({ attribute: 'amountCents', cents: of.amountCents } as const);
    try {
      await this.table.transact([
        { kind: 'put', item: refunds.item(refunds.key(of, refund.externalRefundId), refund), when: isNew },
        {
          kind: 'update',
          key: keyOf(of),
          // No condition on the revision, because other changes of an order do not conflict with refunds.
          changes: { add: { refundedCents: amountCents } },
          when: [
            // The total is also compared with the refund alone, because `at-most` always holds for an order without
            // refunds.
            { attribute: total.attribute, is: '>=', value: amountCents },
            { attribute: 'refundedCents', is: 'at-most', value: total.cents - amountCents },
          ],
        },
        refundReceivedWrite(refund.refundedUuid, context),
        ...(context.replyWrites ?? []),
      ]);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      const [found, refunded] = [error.found.get(0), error.found.get(1)];
      if (found) throw new RefundExistsError(refunds.parse(found));
      if (refunded) throw new RefundExceedsTotalError();
      throw error;
    }
  }
}
