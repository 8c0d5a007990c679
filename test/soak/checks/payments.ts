import { paymentsOf } from '../purchases.ts';
import type { Check } from './end.ts';

/** Several ids and events of one payment make one record, which is decided in the end. */
export const payments: Check = {
  name: 'every payment is recorded once',
  find: (end) =>
    end.story.sales.flatMap((sale) => {
      const [payment, ...others] = paymentsOf(end, sale);
      if (!payment) return [`${sale.id} is not recorded`];
      const isDecided = payment.awards.length > 0 || payment.reason !== undefined;
      return [
        ...(others.length > 0 ? [`${sale.id} is recorded ${others.length + 1} times`] : []),
        ...(isDecided ? [] : [`${sale.id} is not decided`]),
      ];
    }),
};
