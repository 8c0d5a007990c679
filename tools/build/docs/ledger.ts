import { type PostingRule, postings, transactionKinds } from '../../../shared/domain/ledger/postings.ts';
import { table } from './markdown.ts';

const columns = ['available', 'held', 'earned', 'redeemed', 'cashback', 'limits'] as const;

/** What each transition of a reward transaction moves, by the kind of the transaction. */
export function postingTable(): string[] {
  const rows = Object.entries(postings).flatMap(([transition, { to, ...byKind }]) => {
    const rules = new Map<string, PostingRule>(Object.entries(byKind));
    return transactionKinds.flatMap((kind) => {
      const rule = rules.get(kind);
      return rule ? [[transition, to, kind, ...columns.map((column) => rule[column] ?? ''), ledgerText(rule)]] : [];
    });
  });
  return table(['transition', 'state', 'kind', ...columns, 'ledger entries'], rows);
}

function ledgerText({ ledger = {} }: PostingRule): string {
  return Object.entries(ledger)
    .map(([kind, amount]) => `${kind} ${amount}`)
    .join(', ');
}
