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
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { moment } from '../cli/moments.ts';
import { counted, facts, paragraphs, section } from '../cli/text.ts';
import { viewOf } from '../cli/view.ts';
import { approvalReport } from '../views/approval.ts';
import { organisationView } from '../views/organisation.ts';
import { addAccountCommands } from './program-account.ts';
import { addRuleCommands } from './velocity-rules.ts';

export function programCommands(cli: Cli): void {
  const group = cli.add('program', 'The loyalty programs of partners: hosted by the platform, or their own.');

  addCommand(group, 'connect')
    .description(
      'Connect a partner’s own program, which follows docs/programs/openapi.yaml. A new secret is shown once. Once a ' +
        'merchant has a partnership with the partner, another address needs a second operator.',
    )
    .argument(...input.organisationArgument)
    .requiredOption('--url <url>', 'the URL that the paths of the contract follow')
    .option('--secret <secret>', 'a secret that the partner has already (whsec_…, 24 to 64 bytes)')
    .option('--untried', 'connect it without a test request, for example before the server runs')
    .option(...input.approveOption)
    .action(
      cli.door(
        async ({ deps }, text, { url, secret, untried, approve }) => {
          if (approve) return approvalReport(await approveConnection(text, { baseUrl: url }, deps));
          return setUpReport(await connectProgram(text, { baseUrl: url, secret, isUntried: untried === true }, deps));
        },
        'program connect "Skyline Miles" --url https://loyalty.skyline.example/rewards',
        'program connect "Skyline Miles" --url https://loyalty.skyline.example/rewards --approve',
      ),
    );

  addCommand(group, 'host')
    .description('Let the platform host the program of a partner: its own ledger is the program from now on.')
    .argument(...input.organisationArgument)
    .action(
      cli.door(async ({ deps, confirm }, text) => {
        await confirm(
          `Points that the own program of ${text} moved without the platform are not in its ledger. Host it?`,
        );
        return setUpReport(await hostProgram(text, deps));
      }, 'program host "Skyline Miles"'),
    );

  addCommand(group, 'list')
    .description('List the programs of all partners, and who runs each.')
    .action(cli.door(list, 'program list'));

  addCommand(group, 'show')
    .description('Show a program: its place, whether it answers, and its transactions in ERROR.')
    .argument(...input.organisationArgument)
    .action(cli.door(show, 'program show "Skyline Miles"'));

  addCommand(group, 'retry')
    .description('Let transactions in ERROR be posted again: all of a program, or one.')
    .argument(...input.organisationArgument)
    .option('--transaction <id>', 'only this transaction', input.positiveNumber)
    .action(
      cli.door(
        async ({ deps }, text, { transaction }) => {
          const resumed = await retryTransactions(text, transaction, deps);
          return {
            json: { transactions: resumed.map(suspendedView) },
            text: `${counted(String(resumed.length), 'transaction')} will be posted again, after the program was asked.`,
          };
        },
        'program retry "Skyline Miles"',
        'program retry 2 --transaction 3765033093342864',
      ),
    );

  addCommand(group, 'rotate-secret')
    .description('Begin to replace the secret of a program. The new one is shown once; both are valid.')
    .argument(...input.organisationArgument)
    .action(
      cli.door(async ({ deps }, text) => {
        return setUpReport(await rotateSecret(text, deps));
      }, 'program rotate-secret "Skyline Miles"'),
    );

  addCommand(group, 'retire-secret')
    .description('End the replacement of a secret: the older one is no longer valid.')
    .argument(...input.organisationArgument)
    .action(
      cli.door(async ({ deps, confirm }, text) => {
        await confirm(
          `Requests to the program of ${text} will carry one signature only. Does the program know the new secret?`,
        );
        return setUpReport(await retireSecret(text, deps));
      }, 'program retire-secret "Skyline Miles"'),
    );

  addAccountCommands(cli, group);
  addRuleCommands(cli, group);
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
  return programView.list(partners, { name: 'programs', none: 'There is no partner: organisation create makes one.' });
}

type Partner = SetUpProgram['partner'];
const urlOf = ({ program }: Partner) => (program?.kind === 'http' ? program.baseUrl : null);

const programView = viewOf<Partner>()({
  partner: { head: 'partner', json: null, cell: ({ id }) => id },
  name: { head: 'name', json: null },
  runBy: { head: 'run by', json: null, cell: (partner) => (urlOf(partner) === null ? 'the platform' : 'the partner') },
  organisation: { json: organisationView },
  url: { head: 'url', json: urlOf },
});

const programFacts = (partner: Partner): string =>
  facts({
    partner: `${partner.name} (${partner.id})`,
    program: urlOf(partner) ?? partner.program?.kind ?? null,
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
        : section('Transactions in ERROR', suspendedView.table(suspended)),
    ),
    isBad: suspended.length > 0,
  };
}

type Suspended = ProgramOverview['suspended'][number];

const suspendedView = viewOf<Suspended>()({
  id: { head: 'id' },
  uuid_id: { json: ({ uuid }) => uuid },
  type: { head: 'type' },
  points: { head: 'points' },
  attempts: { head: 'attempts', json: ({ posting }) => posting?.attempts ?? 0 },
  problem: { head: 'problem', json: ({ posting }) => posting?.problem ?? null },
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
