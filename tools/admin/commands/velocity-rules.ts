import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { ruleName } from '../../../shared/domain/ledger/velocity.ts';
import type { VelocityRule } from '../../../shared/domain/organisation.ts';
import {
  loadRules,
  type ProgramRules,
  removeRule,
  setRule,
} from '../../../shared/operations/organisation/velocity-rules.ts';
import { addCommand, type Cli, type Operator, organisationArgument, positiveNumber, type Report } from '../cli/cli.ts';
import { count, table, UsageError } from '../cli/text.ts';

const units = { rewards: 'REWARDS', points: 'POINTS', cents: 'CENTS' } as const;
const windows = { reward: 'REWARD', hour: 'HOUR', day: 'DAY', week: 'WEEK' } as const;

interface RuleOptions {
  readonly unit: keyof typeof units;
  readonly per: keyof typeof windows;
}

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
  const group = addCommand(
    programs,
    'rule',
    'Velocity rules: rewards of an account beyond a maximum are held for review.',
  ).helpCommand(false);

  addCommand(
    group,
    'set',
    'Set how many rewards, points or cents one account may receive in one reward, an hour, a day or a week.',
  )
    .argument(...organisationArgument)
    .addOption(unitOption())
    .addOption(windowOption())
    .requiredOption('--most <number>', 'the maximum; a reward beyond it is held', positiveNumber)
    .action(cli.door(set, 'program rule set "Skyline Miles" --unit rewards --per day --most 20'));

  addCommand(group, 'list', 'List the velocity rules of a program.')
    .argument(...organisationArgument)
    .action(cli.door(list, 'program rule list "Skyline Miles"'));

  addCommand(group, 'remove', 'Remove a velocity rule. Rewards that it held wait for their review.')
    .argument(...organisationArgument)
    .addOption(unitOption())
    .addOption(windowOption())
    .action(cli.door(remove, 'program rule remove "Skyline Miles" --unit rewards --per day'));
}

const keyOf = ({ unit, per }: RuleOptions): Pick<VelocityRule, 'unit' | 'window'> => ({
  unit: units[unit],
  window: windows[per],
});

async function set(
  { deps }: Operator,
  organisation: string,
  { most, ...options }: RuleOptions & { readonly most: number },
): Promise<Report> {
  if (options.unit === 'rewards' && options.per === 'reward') {
    throw new UsageError('one reward is always one reward: count rewards per hour, day or week');
  }
  return rulesReport(await setRule(organisation, { ...keyOf(options), most }, deps));
}

async function remove({ deps }: Operator, organisation: string, options: RuleOptions): Promise<Report> {
  return rulesReport(await removeRule(organisation, keyOf(options), deps));
}

async function list({ deps }: Operator, organisation: string): Promise<Report> {
  return rulesReport(await loadRules(organisation, deps));
}

function rulesReport({ partner, rules, isChanged }: ProgramRules): Report {
  const rows = rules.map((rule) => [
    ruleName(rule),
    rule.unit.toLowerCase(),
    rule.window.toLowerCase(),
    count(rule.most),
  ]);
  return {
    json: { organisation: { id: partner.id, name: partner.name }, changed: isChanged, rules },
    text:
      rows.length > 0
        ? table(['rule', 'counts', 'per', 'at most'], rows)
        : `The program of ${partner.name} has no velocity rules: no reward is held.`,
  };
}
