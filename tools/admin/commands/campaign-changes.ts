import type { ManagedCampaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { campaignView } from '../../../shared/http/views/managed-campaign.ts';
import * as changes from '../../../shared/operations/campaign/change-campaign.ts';
import { loadCampaign } from '../../../shared/operations/campaign/load-campaign.ts';
import { findOrganisation } from '../../../shared/operations/organisation/find-organisation.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { approvalReport } from '../views/approval.ts';
import { forPeople, namedCampaign, stateText } from '../views/campaign.ts';

/** A command that changes the state of a campaign. */
interface ChangeCommand {
  readonly name: string;
  readonly description: string;
  readonly change: typeof changes.pauseCampaign;
  /** The question before a change that cannot be undone. */
  readonly question?: (campaign: string) => string;
}

const changeCommands: readonly ChangeCommand[] = [
  {
    name: 'submit',
    description: 'Ask for the approvals of the draft or next version, without giving one.',
    change: changes.submitCampaign,
  },
  {
    name: 'pause',
    description: 'Stop a campaign from rewarding until it is resumed.',
    change: changes.pauseCampaign,
  },
  {
    name: 'resume',
    description: 'Let a paused campaign reward again. Only the organisation that paused it can.',
    change: changes.resumeCampaign,
  },
  {
    name: 'activate',
    description: 'Start a scheduled campaign now. Possible when no other organisation has to approve it.',
    change: changes.activateCampaign,
  },
  {
    name: 'end',
    description: 'End a campaign, for good.',
    change: changes.endCampaign,
    question: (campaign) => `End ${campaign}? It never rewards again.`,
  },
  {
    name: 'discard',
    description: 'Drop the next version of a campaign. The running version stays.',
    change: changes.discardNextVersion,
    question: (campaign) => `Discard the next version of ${campaign}? Its document is lost.`,
  },
  {
    name: 'delete',
    description: 'Delete a draft, or a campaign that has ended. Only the organisation that created it can.',
    change: changes.deleteCampaign,
    question: (campaign) => `Delete ${campaign}? No list shows it any more.`,
  },
];

type ActOptions = input.Needed<'as'> & input.Given<'revision', number>;

/** Adds a command for each change, and the commands `reject` and `advance`. */
export function addChangeCommands(cli: Cli, group: ReturnType<Cli['add']>): void {
  for (const { name, description, change, question } of changeCommands) {
    const run = async ({ deps, confirm }: Operator, campaignId: number, options: ActOptions) => {
      const as = await findOrganisation(options.as, deps);
      const ask = question && ((planned: ManagedCampaign) => confirm(question(namedCampaign(planned))));
      return campaignReport(await change({ campaignId, as, revision: options.revision, confirm: ask }, deps), deps);
    };
    addCommand(group, name)
      .description(description)
      .argument(...input.campaignArgument)
      .requiredOption(...input.asOption)
      .option(...input.revisionOption)
      .action(cli.door(run, `campaign ${name} 5 --as "Corner Coffee"`));
  }

  addCommand(group, 'approve')
    .description(
      'Approve the draft or next version as it is. The last missing approval puts it into effect. A version that may ' +
        'award much needs two operators.',
    )
    .argument(...input.campaignArgument)
    .requiredOption(...input.asOption)
    .option(...input.revisionOption)
    .option(...input.approveOption)
    .action(cli.door(approve, 'campaign approve 5 --as "Corner Coffee"'));

  addCommand(group, 'reject')
    .description('Send the version in review back to its authors.')
    .argument(...input.campaignArgument)
    .requiredOption(...input.asOption)
    .requiredOption('--reason <text>', 'the change that is needed')
    .option(...input.revisionOption)
    .action(
      cli.door(async ({ deps }, campaignId, { as, revision, reason }) => {
        const organisation = await findOrganisation(as, deps);
        return campaignReport(
          await changes.rejectCampaign({ campaignId, as: organisation, revision, reason }, deps),
          deps,
        );
      }, 'campaign reject 5 --as "Skyline Miles" --reason "three points are too many"'),
    );

  addCommand(group, 'advance')
    .description('Make the changes that a campaign’s schedule demands by now, and set its clock again.')
    .argument(...input.campaignArgument)
    .action(
      cli.door(async ({ deps }, campaignId) => {
        return campaignReport(await changes.catchUpCampaign(campaignId, deps), deps);
      }, 'campaign advance 5'),
    );
}

async function approve(
  { deps }: Operator,
  campaignId: number,
  { as, revision, approve: isForOther }: ActOptions & { readonly approve?: true | undefined },
): Promise<Report> {
  if (isForOther) return approvalReport(await changes.approveAlone(campaignId, deps));
  const organisation = await findOrganisation(as, deps);
  return campaignReport(await changes.approveCampaign({ campaignId, as: organisation, revision }, deps), deps);
}

/** The state of a campaign, and the organisations whose approval it needs. */
export async function campaignReport({ record }: ManagedCampaign, deps: Operator['deps']): Promise<Report> {
  const details = await loadCampaign(record.id, null, deps);
  return { json: { campaign: campaignView(details) }, text: stateText(forPeople(details)) };
}
