import { partitions } from '../../../shared/contracts/table.ts';
import type { Member } from '../../../shared/domain/member/member.ts';
import { someText, wholeNumber } from '../cli/arguments.ts';
import { type Cli, examples } from '../cli/cli.ts';
import { OperatorError, UsageError } from '../cli/errors.ts';
import type { Report } from '../cli/report.ts';
import { paragraphs, section } from '../cli/text.ts';
import { findMember, memberText } from '../find/members.ts';
import { findOrganisation, findOrganisationOfKind, organisationNames } from '../find/organisations.ts';
import { newMember } from '../make/member.ts';
import type { Operator } from '../operator.ts';
import { accountOf, accountTable, type LedgerAccount } from '../views/ledger.ts';
import { memberFacts, memberView } from '../views/member.ts';
import { why } from './why.ts';

/** What `member create` was told. */
interface Wanted {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly merchant: string;
  readonly externalId: string;
  readonly program?: string | undefined;
  readonly programId?: string | undefined;
  readonly tier?: number | undefined;
  readonly points?: number | undefined;
}

const memberArgument = ['<member>', 'id or UUID; an organisation’s own id with --of'] as const;
const ofOption = ['--of <organisation>', 'whose own id of the member is given, by id or exact name'] as const;

export function memberCommands(cli: Cli): void {
  const group = cli.add('member', 'People who earn and redeem, and what became of their points.');

  group
    .command('create')
    .description('Make a member: a customer of a merchant, with an account in a partner’s program when one is named.')
    .requiredOption('--first-name <name>', 'first name', someText)
    .requiredOption('--last-name <name>', 'last name', someText)
    .requiredOption('--email <address>', 'e-mail', someText)
    .requiredOption('--merchant <organisation>', 'id or exact name of the merchant')
    .requiredOption('--external-id <id>', 'the merchant’s own id of the member', someText)
    .option('--program <organisation>', 'id or exact name of the partner whose program the member is in')
    .option('--program-id <id>', 'the member’s id in that program', someText)
    .option('--tier <id>', 'status tier in that program', wholeNumber)
    .option('--points <number>', 'balance to begin with; 0 unless given', wholeNumber)
    .addHelpText(
      'after',
      examples(
        'member create --first-name Ada --last-name Byron --email ada@example.com ' +
          '--merchant "Corner Coffee" --external-id cc-7 --program "Skyline Miles" --program-id SKY-7 --points 500',
      ),
    )
    .action((options) => cli.run((operator) => create(operator, options)));

  group
    .command('show')
    .description('Show a member with its accounts and balances.')
    .argument(...memberArgument)
    .option(...ofOption)
    .addHelpText('after', examples('member show 3764875723637238', 'member show cc-1001 --of "Corner Coffee"'))
    .action((text, { of }) => cli.run((operator) => show(operator, text, of)));

  group
    .command('ledger')
    .description('List every movement of a member’s points, with the balance after it.')
    .argument(...memberArgument)
    .option(...ofOption)
    .option('--program <organisation>', 'only in the program of this partner, by id or exact name')
    .addHelpText('after', examples('member ledger cc-1001 --of "Corner Coffee" --program "Skyline Miles"'))
    .action((text, options) => cli.run((operator) => ledger(operator, text, options)));

  group
    .command('why')
    .description('Tell why a reward transaction gave, or took, the points that it did; of an order or event, why none.')
    .argument('<what>', 'id or UUID of a reward transaction or trigger event, UUID of an order; its own id with --of')
    .option('--of <merchant>', 'whose own id of an order is given, by id or exact name')
    .addHelpText('after', examples('member why 3764875723649152', 'member why order-1001 --of "Corner Coffee"'))
    .action((text, { of }) => cli.run((operator) => why(operator, text, of)));
}

async function create(operator: Operator, wanted: Wanted): Promise<Report> {
  const { platform } = operator;
  const merchant = await findOrganisationOfKind(platform, wanted.merchant, 'MERCHANT');
  const program = await programOf(operator, wanted);
  const { firstName, lastName, email, externalId } = wanted;
  const { made, writes } = newMember(platform, {
    firstName,
    lastName,
    email,
    merchant: { id: merchant.id, externalId },
    ...(program && { program }),
  });
  await operator.change({
    what: `made ${memberText(made)}, customer ${externalId} of ${merchant.id} (${merchant.name})`,
    writes,
    conflict: (met) =>
      program && met?.pk.startsWith(`${partitions.externalUser}${program.partnerId}#`)
        ? `the program has a member ${program.externalId} already; nothing was changed`
        : `${merchant.name} has a customer ${externalId} already; nothing was changed`,
  });
  return reportOf(operator, made);
}

/** The account that the options describe, all of which belong to --program. */
async function programOf({ platform }: Operator, { program, programId, tier, points }: Wanted) {
  if (program === undefined) {
    if (programId === undefined && tier === undefined && points === undefined) return undefined;
    throw new UsageError('--program-id, --tier and --points tell of an account: name its partner with --program');
  }
  if (programId === undefined) throw new UsageError('--program needs --program-id, the member’s id there');
  const { id: partnerId } = await findOrganisationOfKind(platform, program, 'PARTNER');
  return { partnerId, externalId: programId, statusTierId: tier ?? null, points: points ?? 0 };
}

async function show(operator: Operator, text: string, of: string | undefined): Promise<Report> {
  return reportOf(operator, await findMember(operator.platform, text, of));
}

async function reportOf({ platform }: Operator, member: Member): Promise<Report> {
  const { memberships, associations } = member;
  const nameOf = await organisationNames(platform, [
    ...memberships.map(({ partnerId }) => partnerId),
    ...associations.map(({ merchantId }) => merchantId),
  ]);
  return { json: { member: memberView(member) }, text: memberFacts(member, nameOf) };
}

async function ledger(
  { platform }: Operator,
  text: string,
  { of, program }: { readonly of?: string | undefined; readonly program?: string | undefined },
): Promise<Report> {
  const member = await findMember(platform, text, of);
  const partner = program === undefined ? undefined : await findOrganisation(platform, program);
  const memberships = member.memberships.filter(({ partnerId }) => partner === undefined || partnerId === partner.id);
  if (partner && memberships.length === 0) {
    throw new OperatorError(`${memberText(member)} has no account in the program of ${partner.name}`);
  }
  const accounts: LedgerAccount[] = await Promise.all(
    memberships.map(async (membership) =>
      accountOf(membership, await platform.ledger.entriesOf(member.user.id, membership.partnerId)),
    ),
  );
  const nameOf = await organisationNames(
    platform,
    memberships.map(({ partnerId }) => partnerId),
  );
  const parts = accounts.map((account) => section(nameOf(account.partnerId), accountTable(account)));
  return {
    json: { memberId: member.user.id, accounts },
    text: parts.length > 0 ? paragraphs(...parts) : `The ${memberText(member)} is in no program.`,
  };
}
