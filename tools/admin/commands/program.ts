import { duration, programMs } from '../../../shared/contracts/limits.ts';
import { allOrganisations } from '../../../shared/operations/organisation/find-organisation.ts';
import {
  approveConnection,
  connectProgram,
  hostProgram,
  loadProgramOverview,
  type ProgramOverview,
  retireSecret,
  retryTransactions,
  rotateSecret,
  type SetUpProgram,
} from '../../../shared/operations/organisation/manage-program.ts';
import { addCommand, type Cli, type Operator, organisationArgument, positiveNumber, type Report } from '../cli/cli.ts';
import { moment } from '../cli/moments.ts';
import { counted, facts, paragraphs, section, table } from '../cli/text.ts';
import { approvalReport, approveOption } from '../views/approval.ts';
import { organisationView } from '../views/organisation.ts';
import { addAccountCommands } from './program-account.ts';
import { addRuleCommands } from './velocity-rules.ts';

export function programCommands(cli: Cli): void {
  const group = cli.add('program', 'The loyalty programs of partners: hosted by the platform, or their own.');

  addCommand(
    group,
    'connect',
    'Connect a partner’s own program, which follows docs/programs/openapi.yaml. A new secret is shown once. Once a ' +
      'merchant has a partnership with the partner, another address needs a second operator.',
  )
    .argument(...organisationArgument)
    .requiredOption('--url <url>', 'the URL that the paths of the contract follow')
    .option('--secret <secret>', 'a secret that the partner has already (whsec_…, 24 to 64 bytes)')
    .option('--untried', 'connect it without a test request, for example before the server runs')
    .option(...approveOption)
    .action(
      cli.door(
        connect,
        'program connect "Skyline Miles" --url https://loyalty.skyline.example/rewards',
        'program connect "Skyline Miles" --url https://loyalty.skyline.example/rewards --approve',
      ),
    );

  addCommand(
    group,
    'host',
    'Let the platform host the program of a partner: its own ledger is the program from now on.',
  )
    .argument(...organisationArgument)
    .action(cli.door(host, 'program host "Skyline Miles"'));

  addCommand(group, 'list', 'List the programs of all partners, and who runs each.').action(
    cli.door(list, 'program list'),
  );

  addCommand(group, 'show', 'Show a program: its place, whether it answers, and its transactions in ERROR.')
    .argument(...organisationArgument)
    .action(cli.door(show, 'program show "Skyline Miles"'));

  addCommand(group, 'retry', 'Let transactions in ERROR be posted again: all of a program, or one.')
    .argument(...organisationArgument)
    .option('--transaction <id>', 'only this transaction', positiveNumber)
    .action(cli.door(retry, 'program retry "Skyline Miles"', 'program retry 2 --transaction 3765033093342864'));

  addCommand(
    group,
    'rotate-secret',
    'Begin to replace the secret of a program. The new one is shown once; both are valid.',
  )
    .argument(...organisationArgument)
    .action(cli.door(rotate, 'program rotate-secret "Skyline Miles"'));

  addCommand(group, 'retire-secret', 'End the replacement of a secret: the older one is no longer valid.')
    .argument(...organisationArgument)
    .action(cli.door(retire, 'program retire-secret "Skyline Miles"'));

  addAccountCommands(cli, group);
  addRuleCommands(cli, group);
}

interface ConnectOptions {
  readonly url: string;
  readonly secret?: string | undefined;
  readonly untried?: true | undefined;
  readonly approve?: true | undefined;
}

async function connect(
  { deps }: Operator,
  text: string,
  { url, secret, untried, approve }: ConnectOptions,
): Promise<Report> {
  if (approve) return approvalReport(await approveConnection(text, { baseUrl: url }, deps));
  return setUpReport(await connectProgram(text, { baseUrl: url, secret, isUntried: untried === true }, deps));
}

async function host({ deps, confirm }: Operator, text: string): Promise<Report> {
  await confirm(`Points that the own program of ${text} moved without the platform are not in its ledger. Host it?`);
  return setUpReport(await hostProgram(text, deps));
}

async function rotate({ deps }: Operator, text: string): Promise<Report> {
  return setUpReport(await rotateSecret(text, deps));
}

async function retire({ deps, confirm }: Operator, text: string): Promise<Report> {
  await confirm(
    `Requests to the program of ${text} will carry one signature only. Does the program know the new secret?`,
  );
  return setUpReport(await retireSecret(text, deps));
}

function setUpReport({ partner, secret, probe }: SetUpProgram): Report {
  const shown = secret === undefined ? [] : [section('Its secret, which is shown this once:', secret)];
  return {
    json: { ...programView(partner), ...(secret !== undefined && { secret }), ...(probe !== undefined && { probe }) },
    text: paragraphs(programFacts(partner), ...(probe === undefined ? [] : [`The test request: ${probe}.`]), ...shown),
  };
}

async function list({ deps }: Operator): Promise<Report> {
  const partners = (await allOrganisations(deps)).filter(({ kind }) => kind === 'PARTNER');
  const rows = partners.map(({ id, name, program }) => [
    ...[id, name, program?.kind === 'http' ? 'the partner' : 'the platform'],
    program?.kind === 'http' ? program.baseUrl : null,
  ]);
  return {
    json: { programs: partners.map(programView) },
    text:
      rows.length > 0
        ? table(['partner', 'name', 'run by', 'url'], rows)
        : 'There is no partner: organisation create makes one.',
  };
}

const programView = (partner: SetUpProgram['partner']) => ({
  organisation: organisationView(partner),
  url: partner.program?.kind === 'http' ? partner.program.baseUrl : null,
});

const programFacts = ({ id, name, program }: SetUpProgram['partner']): string =>
  facts({
    partner: `${name} (${id})`,
    program: program?.kind === 'http' ? program.baseUrl : (program?.kind ?? null),
  });

async function show({ deps }: Operator, text: string): Promise<Report> {
  const { partner, health, suspended } = await loadProgramOverview(text, deps);
  return {
    json: {
      ...programView(partner),
      failures_in_a_row: health?.failures ?? 0,
      answered_at: health?.answeredAt ?? null,
      last_failure: health?.failure ?? null,
      paused_until: health?.pausedUntil ?? null,
      transactions_in_error: suspended.map(suspendedView),
    },
    text: paragraphs(
      programFacts(partner),
      ...(partner.program?.kind === 'http' ? [healthText(health)] : []),
      suspended.length === 0
        ? 'No transaction is in ERROR.'
        : section(
            'Transactions in ERROR',
            table(['id', 'type', 'points', 'attempts', 'problem'], suspended.map(toRow)),
          ),
    ),
    isBad: suspended.length > 0,
  };
}

type Suspended = ProgramOverview['suspended'][number];

const toRow = ({ id, type, points, posting }: Suspended) => [
  String(id),
  type,
  points,
  posting?.attempts ?? 0,
  posting?.problem ?? null,
];

const suspendedView = ({ id, uuid, type, points, posting }: Suspended) => ({
  id,
  uuid_id: uuid,
  type,
  points,
  attempts: posting?.attempts ?? 0,
  problem: posting?.problem ?? null,
});

function healthText(health: ProgramOverview['health']): string {
  if (!health) return 'Nothing was posted to it yet, so it is not known whether it answers.';
  const { failures, failure, answeredAt, pausedUntil } = health;
  const answered =
    answeredAt === undefined
      ? 'It has never answered.'
      : `It last answered on ${moment(answeredAt)}, or up to ${duration(programMs.recordedAnswer)} later.`;
  if (failures === 0) return answered;
  const cause = failure ? `, the last one on ${moment(failure.at)}: ${failure.cause}` : '';
  const pause = pausedUntil === undefined ? '' : ` Requests pause until ${moment(pausedUntil)}.`;
  return `The last ${counted(String(failures), 'request')} failed${cause}. ${answered}${pause}`;
}

async function retry(
  { deps }: Operator,
  text: string,
  { transaction }: { readonly transaction?: number | undefined },
): Promise<Report> {
  const resumed = await retryTransactions(text, transaction, deps);
  return {
    json: { transactions: resumed.map(suspendedView) },
    text: `${counted(String(resumed.length), 'transaction')} will be posted again, after the program was asked.`,
  };
}
