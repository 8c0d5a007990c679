import { loadPurchase } from '../../../shared/operations/find-purchase.ts';
import { type Cli, examples, type Operator, type Report } from '../cli/cli.ts';
import { orderReport } from '../views/purchase.ts';

export function orderCommands(cli: Cli): void {
  const group = cli.add('order', 'Purchases by the merchant’s own order number.');

  group
    .command('show')
    .description('Show a purchase: the order with its rewards and refunds, tokens, payments and refused requests.')
    .argument('<order>', 'the merchant’s own order id, which is also the external_transaction_id of endpoint 1')
    .requiredOption('--of <merchant>', 'id or exact name of the merchant that uses the order id')
    .addHelpText('after', examples('order show order-1001 --of "Corner Coffee"'))
    .action(cli.door(show));
}

async function show({ deps }: Operator, id: string, { of: merchant }: { readonly of: string }): Promise<Report> {
  return orderReport(await loadPurchase({ id, merchant }, deps));
}
