import { text as readAll } from 'node:stream/consumers';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { receiptOutcomes } from '../../../shared/contracts/events.ts';
import type { PaymentAccountKey } from '../../../shared/domain/payment/payment.ts';
import { loadTimeZone } from '../../../shared/operations/partnership/load-time-zone.ts';
import { explainPayment } from '../../../shared/operations/payment/find-payment.ts';
import { listReceipts } from '../../../shared/operations/payment/list-receipts.ts';
import {
  connectPaymentAccount,
  linkPaymentCustomer,
  processPaymentAgain,
} from '../../../shared/operations/payment/manage-payments.ts';
import { platformNames } from '../../../shared/payments/platforms.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { count, counted, OperatorError, table, UsageError } from '../cli/text.ts';
import { type ReplayPeriod, replayPayments } from '../replay/archives.ts';
import { paymentAccountView, paymentReport, receiptsReport } from '../views/payment.ts';

export function paymentsCommands(cli: Cli): void {
  const group = cli.add('payments', 'Accounts of payment platforms, their events, and what became of them.');
  const platform = () => new Option('--platform <platform>', 'payment platform').choices(platformNames);
  const accountOption = [
    '--account <id>',
    'Stripe account or event destination, Shopify shop, Square or Adyen merchant',
  ] as const;

  addCommand(group, 'connect')
    .description('Connect an account of a payment platform to a merchant: its events count from now on.')
    .requiredOption('--merchant <organisation>', 'id or exact name of the merchant')
    .addOption(platform().makeOptionMandatory())
    .requiredOption(...accountOption, input.nonEmptyText)
    .addOption(
      new Option('--capture <mode>', 'whether the account captures payments by itself (Adyen)')
        .choices(['automatic', 'manual'] as const)
        .default('automatic' as const),
    )
    .option('--signing-key-stdin', 'read the key of the platform’s webhook signatures from the input (Square, Adyen)')
    .option('--notification-url <url>', 'the URL of the webhook, as it is registered at Square', input.nonEmptyText)
    .action(
      cli.door(
        async ({ deps }, { signingKeyStdin, ...options }) => {
          const signingKey = signingKeyStdin && (await readAll(process.stdin)).trim();
          if (signingKey === '') throw new UsageError('--signing-key-stdin needs the key in the input');
          const settings = { ...options, ...(signingKey && { signingKey }) };
          const { account, merchant } = await connectPaymentAccount(settings, deps);
          const timeZone = await loadTimeZone([account], deps);
          return {
            json: { account: paymentAccountView(account) },
            text: paymentAccountView.facts(account, { merchant: merchant.name, timeZone }),
          };
        },
        'payments connect --merchant "Corner Coffee" --platform stripe --account acct_1ABC',
        'payments connect --merchant "Corner Coffee" --platform adyen --account CornerCoffeeECOM --signing-key-stdin < key.txt',
      ),
    );

  addCommand(group, 'list')
    .description('List the payment events of a day, what became of each, and why.')
    .option(
      '--merchant <organisation>',
      'id or exact name of the merchant (default: all merchants, and accounts that are not connected)',
    )
    .option(
      '--day <date>',
      'the day of the merchant’s time zone, as 2026-11-20; in UTC for all merchants (default: today)',
      day,
    )
    .addOption(new Option('--outcome <outcome>', 'only events with this outcome').choices(receiptOutcomes))
    .action(
      cli.door(
        async ({ deps }, { merchant, day, outcome }) => {
          return receiptsReport(await listReceipts({ merchant, day, outcome }, deps), outcome);
        },
        'payments list',
        'payments list --merchant "Corner Coffee" --outcome malformed',
      ),
    );

  addCommand(group, 'show')
    .description('Show a payment: its amounts, its member, what it earned, and why.')
    .argument('<id>', 'UUID, or the platform’s id of the payment')
    .addOption(platform())
    .option(...accountOption, input.nonEmptyText)
    .action(
      cli.door(
        async ({ deps }, id, { platform, account }) => {
          const explained = await explainPayment({ id, account: accountOf({ platform, account }) }, deps);
          return paymentReport(explained, await loadTimeZone([explained.payment], deps));
        },
        'payments show pi_3ABC',
        'payments show 1001 --platform canonical --account 1',
      ),
    );

  addCommand(group, 'replay')
    .description(
      'Process a payment again; or, without one, send the archived events of payment platforms again. Payments count once.',
    )
    .argument('[id]', 'UUID, or the platform’s id of the payment')
    .addOption(platform())
    .option(...accountOption, input.nonEmptyText)
    .option('--from <time>', 'the first event to send again, as 2026-11-20T09:00:00Z; kept for 30 days', input.instant)
    .option('--to <time>', 'the last event to send again (default: now)', input.instant)
    .addHelpText('after', '\nThe local platform archives no events: send them again.\n')
    .action(
      cli.door(
        async (operator, id, options) => {
          const { from, to } = options;
          if (id !== undefined) {
            if (from || to) throw new UsageError('--from and --to choose archived events: leave the payment out');
            const payment = await processPaymentAgain({ id, account: accountOf(options) }, operator.deps);
            const { uuid, platform, paymentId } = payment;
            return { json: { payment: uuid }, text: `The ${platform} payment ${paymentId} is processed again.` };
          }
          if (!from) throw new UsageError('name a payment, or give --from to send archived events again');
          return replayArchives(operator, { from, to: to ?? operator.deps.now() });
        },
        'payments replay pi_3ABC',
        'payments replay --from 2026-11-20T09:00:00Z --to 2026-11-20T12:00:00Z --stage production',
      ),
    );

  addCommand(group, 'link-customer')
    .description('Link a customer of a payment account to a member. Payments that were kept are processed again.')
    .argument('<customer>', 'the customer’s id at the payment platform')
    .argument(...input.memberArgument)
    .addOption(platform().makeOptionMandatory())
    .requiredOption(...accountOption, input.nonEmptyText)
    .option(...input.ofOption)
    .action(
      cli.door(async ({ deps }, customerId, memberId, { of, ...account }) => {
        const link = { ...account, customerId, member: { id: memberId, organisation: of } };
        const { member, claimed } = await linkPaymentCustomer(link, deps);
        const { id, firstName, lastName } = member.user;
        return {
          json: { customerId, memberId: id, claimedPayments: claimed },
          text: `Customer ${customerId} is member ${id} (${firstName} ${lastName}). ${claimedText(claimed)}`,
        };
      }, 'payments link-customer cus_1 cc-1001 --of "Corner Coffee" --platform stripe --account acct_1ABC'),
    );
}

/** A day such as `2026-11-20`. */
function day(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new InvalidArgumentError('It has to be a day such as 2026-11-20.');
  }
  return text;
}

type ShowOptions = input.Given<'platform' | 'account'>;

function accountOf({ platform, account }: ShowOptions): PaymentAccountKey | undefined {
  if ((platform === undefined) !== (account === undefined)) {
    throw new UsageError('--platform and --account belong together');
  }
  return platform !== undefined && account !== undefined ? { platform, account } : undefined;
}

async function replayArchives({ stage, deps }: Operator, { from, to }: ReplayPeriod): Promise<Report> {
  if (from >= to) throw new UsageError('--from has to be before --to');
  const { archives } = stage;
  if (!archives) throw new OperatorError('the local platform archives no events: send them again (docs/try-it.md)');
  const replays = await replayPayments(archives, { from, to }, deps.now());
  if (replays.length === 0) {
    throw new OperatorError(
      `no archive of a bus with a rule for payments has a name that begins with ${archives.namePrefix}`,
    );
  }
  const rows = replays.map(({ name, archive, rules }) => [name, archive, rules.length]);
  return { json: { replays }, text: table(['replay', 'archive', 'rules'], rows) };
}

const claimedText = (payments: number) =>
  payments === 0
    ? 'No payment of this customer waited: the next ones count for this member.'
    : `${counted(count(payments), 'payment')} of this customer waited: processed again now.`;
