import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { ruleName } from '../../../shared/domain/ledger/velocity.ts';
import type { VelocityRule } from '../../../shared/domain/organisation.ts';
import {
  loadRules,
  type ProgramRules,
  removeRule,
  setRule,
} from '../../../shared/operations/organisation/velocity-rules.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { count, UsageError } from '../cli/text.ts';
import { viewOf } from '../cli/view.ts';

const units = { rewards: 'REWARDS', points: 'POINTS', cents: 'CENTS' } as const;
const windows = { reward: 'REWARD', hour: 'HOUR', day: 'DAY', week: 'WEEK' } as const;

type RuleOptions = input.Needed<'unit', keyof typeof units> & input.Needed<'per', keyof typeof windows>;

const unitOption = () =>
  new Option('--unit <unit>', 'what is counted; cents are cashback')
    .choices(['rewards', 'points', 'cents'])
    .makeOptionMandatory();
const windowOption = () =>
  new Option('--per <window>', 'one reward; hour, day or week, in UTC')
    .choices(['reward', 'hour', 'day', 'week'])
    .makeOptionMandatory();

/** Adds the commands of velocity rules to the group of programs. */
export function addRuleCommands(cli: Cli, programs: CommandUnknownOpts): void {
  const group = addCommand(programs, 'rule')
    .description('Velocity rules: rewards of an account beyond a maximum are held for review.')
    .helpCommand(false);

  addCommand(group, 'set')
    .description(
      'Set how many rewards, points or cents one account may receive in one reward, an hour, a day or a week.',
    )
    .argument(...input.organisationArgument)
    .addOption(unitOption())
    .addOption(windowOption())
    .requiredOption('--most <number>', 'the maximum; a reward beyond it is held', input.positiveNumber)
    .action(
      cli.door(async ({ deps }, organisation, { most, ...options }) => {
        if (options.unit === 'rewards' && options.per === 'reward') {
          throw new UsageError('one reward is always one reward: count rewards per hour, day or week');
        }
        return rulesReport(await setRule(organisation, { ...keyOf(options), most }, deps));
      }, 'program rule set "Skyline Miles" --unit rewards --per day --most 20'),
    );

  addCommand(group, 'list')
    .description('List the velocity rules of a program.')
    .argument(...input.organisationArgument)
    .action(cli.door(list, 'program rule list "Skyline Miles"'));

  addCommand(group, 'remove')
    .description('Remove a velocity rule. Rewards that it held wait for their review.')
    .argument(...input.organisationArgument)
    .addOption(unitOption())
    .addOption(windowOption())
    .action(
      cli.door(async ({ deps }, organisation, options) => {
        return rulesReport(await removeRule(organisation, keyOf(options), deps));
      }, 'program rule remove "Skyline Miles" --unit rewards --per day'),
    );
}

const keyOf = ({ unit, per }: RuleOptions): Pick<VelocityRule, 'unit' | 'window'> => ({
  unit: units[unit],
  window: windows[per],
});

async function list({ deps }: Operator, organisation: string): Promise<Report> {
  return rulesReport(await loadRules(organisation, deps));
}

const ruleView = viewOf<VelocityRule>()({
  rule: { head: 'rule', json: null, cell: ruleName },
  unit: { head: 'counts', as: (unit) => unit.toLowerCase() },
  window: { head: 'per', as: (window) => window.toLowerCase() },
  most: { head: 'at most', as: count },
});

function rulesReport({ partner, rules, isChanged }: ProgramRules): Report {
  const none = `The program of ${partner.name} has no velocity rules: no reward is held.`;
  const { json, text } = ruleView.list(rules, { name: 'rules', none });
  return { json: { organisation: { id: partner.id, name: partner.name }, changed: isChanged, ...json }, text };
}
