import type { ManagedCampaign } from '../../../shared/domain/campaign/document/record.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import * as manage from '../campaigns/manage.ts';
import { wholeNumber } from '../cli/arguments.ts';
import { type Cli, examples } from '../cli/cli.ts';
import type { Report } from '../cli/report.ts';
import { findOrganisation, organisationText } from '../find/organisations.ts';
import type { Change } from '../make/change.ts';
import type { Operator } from '../operator.ts';
import { campaignView, stateOf } from '../views/campaign.ts';

/** A command that changes where a campaign stands. */
interface ChangeCommand {
  readonly name: string;
  readonly description: string;
  /** What was done, for the audit trail and the answer. */
  readonly done: string;
  /** What cannot be undone is asked before, with the campaign as people know it. */
  readonly question?: (campaign: string) => string;
  readonly change: (platform: Platform, on: manage.CampaignAct) => Promise<Change<ManagedCampaign>>;
}

const changeCommands: readonly ChangeCommand[] = [
  {
    name: 'approve',
    description: 'Approve the draft or next version as it is. The last approval that is needed puts it into effect.',
    done: 'approved',
    change: manage.approveCampaign,
  },
  {
    name: 'pause',
    description: 'Have a campaign reward nothing for a while.',
    done: 'paused',
    change: manage.pauseCampaign,
  },
  {
    name: 'resume',
    description: 'Have a paused campaign reward again. Only the organisation that paused it can.',
    done: 'resumed',
    change: manage.resumeCampaign,
  },
  {
    name: 'activate',
    description: 'Start a scheduled campaign now, where nobody else owns an action of it.',
    done: 'activated',
    change: manage.activateCampaign,
  },
  {
    name: 'end',
    description: 'End a campaign, for good.',
    done: 'ended',
    question: (campaign) => `End ${campaign}? It rewards nothing any more, for good.`,
    change: manage.endCampaign,
  },
  {
    name: 'discard',
    description: 'Give the next version of a campaign up. What runs goes on.',
    done: 'discarded the next version of',
    question: (campaign) => `Discard the next version of ${campaign}? What was written of it is lost.`,
    change: manage.discardEdit,
  },
  {
    name: 'delete',
    description: 'Delete a draft, or a campaign that has ended. Only the organisation that made it can.',
    done: 'deleted',
    question: (campaign) => `Delete ${campaign}? Nobody sees it any more.`,
    change: manage.deleteCampaign,
  },
];

type Group = ReturnType<Cli['add']>;

export const asOrganisation = ['--as <organisation>', 'id or exact name of the organisation that acts'] as const;
export const revisionOption = ['--revision <number>', 'do it only if this is still its revision', wholeNumber] as const;

/** Adds a command for each change, and `reject` and `advance`. */
export function addChangeCommands(cli: Cli, group: Group): void {
  for (const command of changeCommands) {
    group
      .command(command.name)
      .description(command.description)
      .argument('<campaign>', 'its id', wholeNumber)
      .requiredOption(...asOrganisation)
      .option(...revisionOption)
      .addHelpText('after', examples(`campaign ${command.name} 5 --as "Corner Coffee"`))
      .action((id, options) => cli.run((operator) => carryOut(operator, command, { id, ...options })));
  }

  group
    .command('reject')
    .description('Send the version that is reviewed back to those who write it.')
    .argument('<campaign>', 'its id', wholeNumber)
    .requiredOption(...asOrganisation)
    .requiredOption('--reason <text>', 'what has to change')
    .option(...revisionOption)
    .addHelpText('after', examples('campaign reject 5 --as "Skyline Miles" --reason "three points are too many"'))
    .action((id, { reason, ...options }) =>
      cli.run((operator) => {
        const change: ChangeCommand['change'] = (platform, on) => manage.rejectCampaign(platform, { ...on, reason });
        return carryOut(
          operator,
          { name: 'reject', description: '', done: `rejected (${reason})`, change },
          { id, ...options },
        );
      }),
    );

  group
    .command('advance')
    .description('Do what the clock should have done with a campaign by now, or have the clock set to it anew.')
    .argument('<campaign>', 'its id', wholeNumber)
    .addHelpText('after', examples('campaign advance 5'))
    .action((id) => cli.run((operator) => advance(operator, id)));
}

interface On {
  readonly id: number;
  readonly as: string;
  readonly revision?: number | undefined;
}

async function carryOut(operator: Operator, command: ChangeCommand, { id, as, revision }: On): Promise<Report> {
  const organisation = await findOrganisation(operator.platform, as);
  const on = { campaignId: id, organisationId: organisation.id, revision };
  const { made, writes } = await command.change(operator.platform, on);
  const what = `${command.done} campaign ${id}`;
  if (command.question) await operator.confirm(command.question(`campaign ${id} (${nameOf(made)})`));
  await operator.change({
    what: `${what} as ${organisationText(organisation)}`,
    writes,
    conflict: manage.changedText(id),
  });
  return reportOf(made, what);
}

async function advance(operator: Operator, id: number): Promise<Report> {
  const { made, writes } = await manage.advanceCampaign(operator.platform, id);
  await operator.change({ what: `advanced campaign ${id} by the clock`, writes, conflict: manage.changedText(id) });
  return reportOf(made, `advanced campaign ${id}`);
}

function reportOf(campaign: ManagedCampaign, what: string): Report {
  const { draft } = campaign.record;
  const next = campaign.live && draft ? `; version ${draft.campaign.version} is ${draft.campaign.status}` : '';
  return { json: { campaign: campaignView(campaign) }, text: `${sentence(what)}. It is ${stateOf(campaign)}${next}.` };
}

const nameOf = ({ live, record }: ManagedCampaign) => (live ?? record.draft?.campaign)?.name ?? 'without a name';
const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
