import { NotFoundError } from '../../../shared/operations/errors.ts';
import { explainRewards } from '../../../shared/operations/ledger/explain-rewards.ts';
import {
  createMember,
  loadMember,
  loadMemberLedger,
  type MemberReference,
  openingMoveOf,
} from '../../../shared/operations/member/manage-members.ts';
import { approveMove } from '../../../shared/operations/move-points.ts';
import { findOrganisationOfKind } from '../../../shared/operations/organisation/find-organisation.ts';
import { loadTimeZone } from '../../../shared/operations/partnership/load-time-zone.ts';
import { findPayment } from '../../../shared/operations/payment/find-payment.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { loadCampaignNames, namedReport } from '../cli/names.ts';
import { paragraphs, section, UsageError } from '../cli/text.ts';
import { approvalReport } from '../views/approval.ts';
import { linkReport } from '../views/link.ts';
import { accountTable, memberFacts, memberView } from '../views/member.ts';
import { paymentReport } from '../views/payment.ts';
import { purchaseReport, sourceReport } from '../views/purchase.ts';
import { transactionReport } from '../views/transaction.ts';
import { memberAttributesCommands } from './member-attributes.ts';
import { addBlockCommands } from './member-block.ts';
import { addAdjustCommand, addFindCommands } from './member-desk.ts';
import { addLinkCommands } from './member-links.ts';
import { addPersonCommands } from './member-person.ts';
import { addTestIdentitiesCommand } from './test-identities.ts';

export function memberCommands(cli: Cli): void {
  const group = cli.add('member', 'Members, their points, and the reasons for their rewards.');

  addCommand(group, 'create')
    .description('Create a member: a customer of a merchant, with --program also the holder of an account there.')
    .requiredOption('--first-name <name>', 'first name', input.nonEmptyText)
    .requiredOption('--last-name <name>', 'last name', input.nonEmptyText)
    .requiredOption('--email <address>', 'e-mail', input.nonEmptyText)
    .requiredOption('--merchant <organisation>', 'id or exact name of the merchant')
    .requiredOption('--external-id <id>', 'the id that the merchant uses for the member', input.nonEmptyText)
    .option('--program <organisation>', 'id or exact name of the partner whose program has the account')
    .option('--program-id <id>', 'the member’s id in that program', input.nonEmptyText)
    .option('--tier <id>', 'status tier in that program', input.wholeNumber)
    .option('--points <number>', 'opening balance (default: 0)', input.wholeNumber)
    .option(...input.approveOption)
    .action(
      cli.door(async (operator, options) => {
        const { deps } = operator;
        const { firstName, lastName, email, externalId } = options;
        const { id } = await findOrganisationOfKind(options.merchant, 'MERCHANT', deps);
        const program = await programIn(options, operator);
        const names = { firstName, lastName, email };
        if (options.approve) {
          if (!program) throw new UsageError('only an opening balance is approved: give --program and --points');
          return approvalReport(await approveMove(openingMoveOf({ ...names, program }), deps));
        }
        const member = await createMember(
          { ...names, merchant: { id, externalId }, ...(program && { program }) },
          deps,
        );
        return memberReport({ id: String(member.user.id) }, operator);
      }, 'member create --first-name Ada --last-name Byron --email ada@example.com ' +
        '--merchant "Corner Coffee" --external-id cc-7 --program "Skyline Miles" --program-id SKY-7 --points 500'),
    );

  addCommand(group, 'show')
    .description('Show a member with its accounts and balances.')
    .argument(...input.memberArgument)
    .option(...input.ofOption)
    .action(
      cli.door(
        async (operator, id, { of }) => {
          return memberReport({ id, organisation: of }, operator);
        },
        'member show 3764875723637238',
        'member show cc-1001 --of "Corner Coffee"',
      ),
    );

  addFindCommands(group, cli);

  addCommand(group, 'ledger')
    .description('List every movement of a member’s points, with the balance after it.')
    .argument(...input.memberArgument)
    .option(...input.ofOption)
    .option('--program <organisation>', 'only in the program of this partner, by id or exact name')
    .action(
      cli.door(async ({ deps }, id, { of, program }) => {
        const { member, accounts, nameOf } = await loadMemberLedger(
          { member: { id, organisation: of }, program },
          deps,
        );
        const places = accounts.map(({ partnerId }) => ({ partnerId }));
        const timeZone = await loadTimeZone(places, deps);
        const parts = accounts.map((account) => section(nameOf(account.partnerId), accountTable(account, timeZone)));
        return {
          json: { memberId: member.user.id, accounts },
          text: parts.length > 0 ? paragraphs(...parts) : `Member ${member.user.id} is in no program.`,
        };
      }, 'member ledger cc-1001 --of "Corner Coffee" --program "Skyline Miles"'),
    );

  addAdjustCommand(group, cli);

  addBlockCommands(group, cli);

  addLinkCommands(cli, group);

  addCommand(group, 'why')
    .description(
      'Explain the points of a reward transaction, the rewards of a purchase, payment or trigger event, or which ' +
        'connect-only campaigns counted an account. Also explains why endpoint 1 refused a purchase in the last 30 days.',
    )
    .argument(
      '<id>',
      'id or UUID of a transaction or trigger event, UUID of an order or payment, authentication_id of endpoint 1, ' +
        'id of an account (member show --json), a payment platform’s id of the payment; with --of the merchant’s order id',
    )
    .option('--of <merchant>', 'id or exact name of the merchant that uses the id')
    .action(
      cli.door(
        async ({ deps }, id, { of }) => {
          try {
            const explained = await explainRewards({ id, merchant: of }, deps);
            return await namedReport(reportOf(explained), deps, partnershipsOf(explained));
          } catch (error) {
            if (!(error instanceof NotFoundError)) throw error;
            const payment = await findPayment({ id, merchant: of }, deps);
            if (!payment) throw error;
            return namedReport(paymentReport(payment, await loadTimeZone([payment.payment], deps)), deps);
          }
        },
        'member why 3764875723649152',
        'member why order-1001 --of "Corner Coffee"',
        'member why pi_3ABC',
        'member why rwa_local_Qo3yJ6b1nVx5cT9dUe2kLh8sWm4zRf7gYa0pBt6iNc',
      ),
    );

  memberAttributesCommands(cli, group);
  addTestIdentitiesCommand(cli, group);

  addPersonCommands(cli, group);
}

type CreateOptions = input.Needed<'firstName' | 'lastName' | 'email' | 'merchant' | 'externalId'> &
  input.Given<'program' | 'programId'> &
  input.Given<'tier' | 'points', number> &
  input.Given<'approve', true>;

/** The account that the options describe; each of these options needs --program. */
async function programIn({ program, programId, tier, points }: CreateOptions, { deps }: Operator) {
  if (program === undefined) {
    if (programId === undefined && tier === undefined && points === undefined) return undefined;
    throw new UsageError('--program-id, --tier and --points describe an account: name its partner with --program');
  }
  if (programId === undefined) throw new UsageError('--program needs --program-id, the member’s id there');
  const { id: partnerId } = await findOrganisationOfKind(program, 'PARTNER', deps);
  return { partnerId, externalId: programId, statusTierId: tier ?? null, points: points ?? 0 };
}

async function memberReport(reference: MemberReference, { deps }: Operator): Promise<Report> {
  const { member, nameOf, tierNameOf } = await loadMember(reference, deps);
  const campaigns = await loadCampaignNames(
    member.usage.map(({ campaignId }) => campaignId),
    deps,
  );
  const names = { nameOf, tierNameOf, campaignNameOf: (id: number) => campaigns.get(id) };
  return { json: { member: memberView(member, tierNameOf) }, text: memberFacts(member, names) };
}

type Explained = Awaited<ReturnType<typeof explainRewards>>;

function reportOf(explained: Explained): Report {
  if ('transaction' in explained) return transactionReport(explained);
  if ('decisions' in explained) return linkReport(explained);
  return 'source' in explained ? sourceReport(explained) : purchaseReport(explained);
}

/** The partnerships whose triggers an explanation names. */
function partnershipsOf(explained: Explained): string[] {
  if ('transaction' in explained) return [explained.transaction.partnershipUuid];
  return 'source' in explained ? explained.simulations.map(({ campaign }) => campaign.partnershipUuid) : [];
}
