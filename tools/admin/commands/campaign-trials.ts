import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod/mini';
import type { Reward } from '../../../shared/domain/award/rewards.ts';
import type { Simulation } from '../../../shared/domain/award/simulate.ts';
import { type SimulatedEvent, simulateCampaigns } from '../../../shared/operations/campaign/simulate-campaigns.ts';
import { planCampaign } from '../../../shared/operations/campaign/write-campaign.ts';
import { OperationError } from '../../../shared/operations/errors.ts';
import { importRows } from '../../../shared/operations/import-rows.ts';
import { findMember } from '../../../shared/operations/member/manage-members.ts';
import { findOrganisation } from '../../../shared/operations/organisation/find-organisation.ts';
import { findPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { loadTierNames, type TierNameOf } from '../../../shared/operations/registry/tier-names.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import { callersPath, readJsonFile, unreadable } from '../cli/files.ts';
import * as input from '../cli/input.ts';
import { namedReport } from '../cli/names.ts';
import { count, counted, dollars, listed, OperatorError, paragraphs, section, UsageError } from '../cli/text.ts';
import { importReport } from '../views/import.ts';
import { simulationLines } from '../views/purchase.ts';

/** Adds the commands that try campaigns, and the command that applies all campaign files of a folder. */
export function addTrialCommands(cli: Cli, group: ReturnType<Cli['add']>): void {
  addCommand(group, 'simulate')
    .description('Show what campaigns would give a member for a purchase, an order or an event. Writes nothing.')
    .argument(...input.memberArgument)
    .option(...input.ofOption)
    .requiredOption(...input.asOption)
    .option('--amount <dollars>', 'a purchase (endpoint 1); for a transfer its points', input.dollarAmount)
    .option('--order <dollars>', 'an order (endpoint 11) of this eligible amount', input.dollarAmount)
    .option('--trigger <name>', 'an event (endpoint 3); needs --partnership')
    .option('--context <json>', 'the context of the event', jsonObject)
    .option('--partnership <partnership>', 'only its campaigns: UUID or exact name')
    .option('--campaign <id>', 'only this campaign', input.wholeNumber)
    .option('--at <time>', 'the time of the event, such as 2026-12-01T09:00:00Z (default: now)', input.instant)
    .action(
      cli.door(
        simulate,
        'campaign simulate cc-1001 --of "Corner Coffee" --as "Corner Coffee" --amount 42.50',
        'campaign simulate cc-1001 --of 1 --as 1 --trigger signup_completed --partnership "Corner Coffee × Skyline Miles"',
      ),
    );

  addCommand(group, 'import')
    .description(
      'Apply every JSON file of a folder to a partnership, by the names of the campaigns. It may be repeated.',
    )
    .argument('<folder>', 'folder of campaign files')
    .requiredOption(...input.asOption)
    .requiredOption('--partnership <partnership>', 'UUID or exact name of the partnership')
    .option('--dry-run', 'check all files and write nothing')
    .action(
      cli.door(async ({ deps }, folder, options) => {
        const as = await findOrganisation(options.as, deps);
        const origin = { partnership: await findPartnership(options.partnership, deps), as };
        const paths = await filesIn(folder);
        const rows = paths.map((row, index) => ({ line: index + 1, row }));
        const report = await importRows(rows, async (path) => planCampaign(await readFileOf(path), origin, deps), {
          isDryRun: options.dryRun === true,
        });
        return importReport(report, ({ line }) => basename(paths[line - 1] ?? folder));
      }, 'campaign import campaigns/ --as "Skyline Miles" --partnership "Corner Coffee × Skyline Miles" --dry-run'),
    );
}

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  const parsed = z.record(z.string(), z.unknown()).safeParse(parse(text));
  if (parsed.success) return parsed.data;
  throw new UsageError('--context has to be a JSON object such as {"plan":"yearly"}');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type SimulateOptions = input.Needed<'as'> &
  input.Given<'of' | 'trigger' | 'partnership'> &
  input.Given<'amount' | 'order' | 'campaign', number> &
  input.Given<'context', Readonly<Record<string, unknown>>> &
  input.Given<'at', Date>;

async function simulate({ deps }: Operator, id: string, options: SimulateOptions): Promise<Report> {
  const as = await findOrganisation(options.as, deps);
  const { user } = await findMember({ id, organisation: options.of }, deps);
  const partnership = options.partnership === undefined ? undefined : await findPartnership(options.partnership, deps);
  const { at, simulations } = await simulateCampaigns(
    {
      organisationId: as.id,
      user: { id: user.id, uuid: undefined, externalId: undefined },
      event: eventIn(options, partnership?.uuid),
      campaignId: options.campaign,
      partnerId: undefined,
      partnershipUuid: partnership?.uuid,
      at: options.at,
    },
    deps,
  );
  const partnerIds = simulations.map(({ campaign }) => campaign.partnerId);
  const tierNameOf = await loadTierNames(partnerIds, deps);
  const json = { memberId: user.id, at: at.toISOString(), campaigns: simulations.map(simulationView) };
  const text = paragraphs(...simulations.map((one) => simulationText(one, tierNameOf)));
  return namedReport(
    { json, text },
    deps,
    simulations.map(({ campaign }) => campaign.partnershipUuid),
  );
}

const noDetails = { lineItems: [], attributes: {} };

/** @throws UsageError unless the options name exactly one event */
function eventIn(
  { amount, order, trigger, context }: SimulateOptions,
  partnershipUuid: string | undefined,
): SimulatedEvent {
  const given = [amount, order, trigger].filter((value) => value !== undefined);
  if (given.length !== 1) throw new UsageError('give one event: --amount, --order or --trigger');
  if (context !== undefined && trigger === undefined) throw new UsageError('--context needs --trigger');
  if (amount !== undefined) return { kind: 'purchase', amountCents: amount, details: noDetails };
  if (order !== undefined) return { kind: 'order', amountCents: order, details: noDetails };
  if (trigger === undefined || partnershipUuid === undefined) throw new UsageError('--trigger needs --partnership');
  return { kind: 'trigger', triggerName: trigger, partnershipUuid, transactionContext: context ?? {} };
}

const simulationView = ({ campaign: { id, version, name }, reason, rewards, decision }: Simulation) => ({
  ...{ campaignId: id, campaignVersion: version, name, reason },
  rewards: rewards.map(({ type, partnerId, points, cashbackCents }) => ({ type, partnerId, points, cashbackCents })),
  decision,
});

function simulationText(simulation: Simulation, tierNameOf: TierNameOf): string {
  const { campaign, reason, rewards } = simulation;
  const outcome = reason === null ? `would give ${listed(rewards.map(rewardText))}` : `would give nothing: ${reason}`;
  return section(
    `Campaign ${campaign.id} (${campaign.name}) ${outcome}`,
    simulationLines(simulation, tierNameOf).join('\n'),
  );
}

function rewardText({ type, partnerId, points, cashbackCents }: Reward): string {
  if (cashbackCents > 0) return `${dollars(cashbackCents)} of cashback`;
  return `${type === 'REDEEM' ? 'minus ' : ''}${counted(count(points), 'point')} of partner ${partnerId}`;
}

const CampaignFile = z.record(z.string(), z.unknown(), 'it has to be an object, in { }');

/** A campaign file cannot be read. This does not stop the other files from being applied. */
class UnreadableFileError extends OperationError {}

async function readFileOf(path: string) {
  try {
    return await readJsonFile(path, CampaignFile);
  } catch (error) {
    throw error instanceof OperatorError ? new UnreadableFileError(error.message) : error;
  }
}

/** @throws OperatorError when the folder cannot be read, or has no JSON file */
async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(callersPath(folder)).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  const files = names.filter((name) => name.endsWith('.json')).sort();
  if (files.length === 0) throw new OperatorError(`${folder} contains no file whose name ends in .json`);
  return files.map((name) => join(folder, name));
}
