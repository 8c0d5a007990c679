import { Option } from '@commander-js/extra-typings';
import { type Partnership, reversalPolicies } from '../../../shared/domain/partnership.ts';
import { subjectText } from '../../../shared/operations/errors.ts';
import { loadOrganisationNames } from '../../../shared/operations/organisation/find-organisation.ts';
import { deletePartnership, editPartnership } from '../../../shared/operations/partnership/edit-partnership.ts';
import { partnershipSubject } from '../../../shared/operations/partnership/manage-partnership.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { paragraphs, UsageError } from '../cli/text.ts';
import { partnershipView } from '../views/partnership.ts';

/** Adds the commands that edit and delete a partnership. */
export function addPartnershipChanges(cli: Cli, group: ReturnType<Cli['add']>): void {
  const policy = new Option('--reversals <policy>', 'limit of refunds on credited points, for refunds from now on');

  addCommand(group, 'edit')
    .description('Change a partnership. Its time zone is final from its first reward on.')
    .argument(...input.partnershipArgument)
    .option('--name <text>', 'another name', input.nonEmptyText)
    .option('--description <text>', 'another description; empty for none')
    .option('--time-zone <zone>', 'time zone of the days and months of its limits', input.timeZone)
    .addOption(new Option('--cashback <on|off>', 'whether its campaigns may award money').choices(['on', 'off']))
    .addOption(policy.choices(reversalPolicies))
    .action(
      cli.door(
        edit,
        'partnership edit "Corner Coffee × Skyline Miles" --cashback on',
        'partnership edit "Corner Coffee × Skyline Miles" --name "Coffee × Miles" --reversals unlimited',
      ),
    );

  addCommand(group, 'delete')
    .description('Delete an inactive partnership without live campaigns, for good. Its books stay.')
    .argument(...input.partnershipArgument)
    .action(
      cli.door(async ({ deps, confirm }, text) => {
        const ask = (planned: Partnership) =>
          confirm(`Delete ${subjectText(partnershipSubject(planned))}, for good? No list shows it any more.`);
        const deleted = await deletePartnership({ partnership: text, confirm: ask }, deps);
        return {
          json: { partnership: partnershipView(deleted) },
          text: `The ${subjectText(partnershipSubject(deleted))} is deleted.`,
        };
      }, 'partnership delete "Corner Coffee × Skyline Miles" --yes'),
    );
}

type EditOptions = input.Given<'name' | 'description' | 'timeZone'> &
  input.Given<'cashback', 'on' | 'off'> &
  input.Given<'reversals', Partnership['reversalPolicy']>;

async function edit({ deps }: Operator, text: string, options: EditOptions): Promise<Report> {
  const { name, description, cashback, reversals } = options;
  if (Object.values(options).every((value) => value === undefined)) {
    throw new UsageError('give what to change: --name, --description, --time-zone, --cashback or --reversals');
  }
  const { partnership, changed } = await editPartnership(
    text,
    {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description: description.trim() === '' ? null : description }),
      ...(options.timeZone !== undefined && { timeZone: options.timeZone }),
      ...(cashback !== undefined && { allowsCashback: cashback === 'on' }),
      ...(reversals !== undefined && { reversalPolicy: reversals }),
    },
    deps,
  );
  const nameOf = await loadOrganisationNames([partnership.merchantId, partnership.partnerId], deps);
  const outcome = changed.length > 0 ? 'changed' : 'unchanged';
  return {
    json: { outcome, changed, partnership: partnershipView(partnership) },
    text: paragraphs(
      changed.length > 0 ? 'The partnership is changed.' : 'The partnership has these values already.',
      partnershipView.facts(partnership, nameOf),
    ),
  };
}
