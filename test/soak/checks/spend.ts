import { type ModelPurchase, moneyOf, purchasesOf } from '../purchases.ts';
import { type Check, type End, sum } from './end.ts';
import { isUnlinked, reportedAt, usersOf } from './purchases.ts';

/** The spend of a member is the money that is left of the member's purchases: each counts once. */
export const spending: Check = {
  name: 'spend counts every purchase once',
  find: (end) => {
    const bought = purchasesOf(end);
    return end.memberships.flatMap((membership) =>
      end.scene.merchants.flatMap(({ id: merchantId }) => {
        const { userId, partnerId } = membership;
        const own = bought.filter((purchase) => purchase.merchantId === merchantId);
        const counted = own.map((purchase) => countedFor(end, purchase, membership));
        const least = sum(counted, (one) => one.least);
        const most = sum(counted, (one) => one.most);
        const found = sum(
          end.spend.filter(
            (one) => one.userId === userId && one.partnerId === partnerId && one.merchantId === merchantId,
          ),
          ({ spentCents }) => spentCents,
        );
        const name = `member ${userId} at ${merchantId}, linked to ${partnerId}`;
        const range = least === most ? least : `${least} to ${most}`;
        return found < least || found > most ? [`${name} spent ${found} cents, not ${range}`] : [];
      }),
    );
  },
};

const never = { least: 0, most: 0 };

/**
 * What a purchase adds to the spend of a member in a program. It counts for the member of its first report, and in the
 * programs to which the member was linked by then.
 */
function countedFor(
  end: End,
  purchase: ModelPurchase,
  { userId, partnerId, createdAt }: End['memberships'][number],
): { readonly least: number; readonly most: number } {
  const users = usersOf(end, purchase);
  const times = reportedAt(end, purchase);
  if (!users.has(userId) || !isReported(purchase) || (times.at(-1) ?? '') < createdAt) return never;
  const { left } = moneyOf(end, purchase);
  const { merchantId } = purchase;
  const isLinked = (times[0] ?? '') >= createdAt && !isUnlinked(end, { merchantId, partnerId, userId });
  const isCertain = users.size === 1 && isLinked && isDecided(purchase);
  return { least: isCertain ? left : 0, most: left };
}

/** Points alone buy nothing that counts as spend. */
const isReported = ({ tokens, order, sales }: ModelPurchase) =>
  tokens.length > 0 || order !== undefined || sales.length > 0;

/** Whether a payment has its member. A payment without one counts for nobody until its customer is linked. */
const isDecided = ({ tokens, order, sales }: ModelPurchase) =>
  tokens.length > 0 || order !== undefined || sales.some(({ payment }) => payment?.userId !== undefined);
