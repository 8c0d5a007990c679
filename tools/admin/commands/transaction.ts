import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import {
  cancelByOperator,
  retryByOperator,
  reverseByOperator,
} from '../../../shared/operations/manage-transactions.ts';
import { type Cli, examples, type Operator, type Report, shortText } from '../cli/cli.ts';
import { count, dollars, listed } from '../cli/text.ts';
import { transactionView } from '../views/transaction.ts';
import { addTransactionList } from './records.ts';

const transactionArgument = ['<transaction>', 'id or UUID of the reward transaction'] as const;
const reasonOption = ['--reason <text>', 'why, in one sentence; it stays in the books', shortText] as const;

export function transactionCommands(cli: Cli): void {
  const group = cli.add('transaction', 'Reward transactions: find, reverse, cancel and retry them.');

  addTransactionList(group, cli);

  group
    .command('reverse')
    .description(
      'Reverse what is left of a completed transaction, without a refund of money. Points that the member has spent ' +
        'are owed, as after a refund. Refunds of the same purchase then reverse nothing more of it.',
    )
    .argument(...transactionArgument)
    .requiredOption(...reasonOption)
    .addHelpText('after', examples('transaction reverse 3764875723649152 --reason "Test purchase of the shop"'))
    .action(cli.door(reverse));

  group
    .command('cancel')
    .description('Cancel a transaction whose token is not spent, with all transactions of its token.')
    .argument(...transactionArgument)
    .requiredOption(...reasonOption)
    .addHelpText('after', examples('transaction cancel 3764875723649152 --reason "The member waits for the points"'))
    .action(cli.door(cancel));

  group
    .command('retry')
    .description(
      'Bring a transaction in ERROR or PENDING to its program again. The platform first asks the program whether it ' +
        'has the transaction.',
    )
    .argument(...transactionArgument)
    .requiredOption(...reasonOption)
    .addHelpText('after', examples('transaction retry 3764875723649152 --reason "The program answers again"'))
    .action(cli.door(retry));
}

interface Reasoned {
  readonly reason: string;
}

async function reverse({ deps, confirm }: Operator, id: string, { reason }: Reasoned): Promise<Report> {
  const question = (reversals: readonly RewardTransaction[]) =>
    confirm(`Reverse ${listed(reversals.map(amountText))} of transaction ${id}? The member loses them.`);
  const reversals = await reverseByOperator({ id, reason, confirm: question }, deps);
  return {
    json: { reversals: reversals.map(transactionView) },
    text: reversals
      .map((one) => `Transaction ${one.id} reverses ${amountText(one)} of transaction ${one.reverses?.id}.`)
      .join('\n'),
  };
}

/** `30 points`, `$3.00 of cashback`, with the points that the member owes. */
function amountText({ points, cashbackCents, shortfallPoints = 0 }: RewardTransaction): string {
  const amount = cashbackCents > 0 ? `${dollars(cashbackCents)} of cashback` : `${count(points)} points`;
  return shortfallPoints > 0 ? `${amount} (${count(shortfallPoints)} of them are spent: the member owes them)` : amount;
}

async function cancel({ deps, confirm }: Operator, id: string, { reason }: Reasoned): Promise<Report> {
  const question = (ids: readonly number[]) => confirm(`Cancel the token of transaction ${ids.join(', ')}?`);
  const cancelled = await cancelByOperator({ id, reason, confirm: question }, deps);
  return {
    json: { cancelled },
    text: `Cancelled transaction ${listed(cancelled.map(String))}. Held points are back with the member.`,
  };
}

async function retry({ deps }: Operator, id: string, { reason }: Reasoned): Promise<Report> {
  const legs = await retryByOperator({ id, reason }, deps);
  return {
    json: { retried: legs.map((leg) => leg.id) },
    text: `Transaction ${listed(legs.map((leg) => String(leg.id)))} is on the way to its program again.`,
  };
}
