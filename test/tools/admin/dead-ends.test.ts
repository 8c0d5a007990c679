import { globSync, readFileSync } from 'node:fs';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { FaultyDocumentError } from '../../../shared/domain/campaign/authoring/schema-faults.ts';
import * as errors from '../../../shared/operations/errors.ts';
import { DifferentValuesError } from '../../../shared/operations/import-rows.ts';
import { NotACustomerError } from '../../../shared/operations/member/issue-user-tokens.ts';
import { KeyExpiredError, MissingPermissionsError } from '../../../shared/operations/organisation/manage-keys.ts';
import { EntryInUseError } from '../../../shared/operations/registry/manage-registry.ts';
import { listOf, remedyOf } from '../../../tools/admin/cli/advice.ts';
import { sentenceOf } from '../../../tools/admin/cli/text.ts';
import { commandLine } from '../../../tools/admin/run-admin.ts';

/** Every refusal names the next command. The command and its options exist. */

const { program } = commandLine({ out: () => {}, err: () => {}, ask: undefined });

/** The command at the beginning of a text, such as `organisation list` of `organisation list shows what there is`. */
function commandIn(text: string): { readonly found: CommandUnknownOpts; readonly rest: string[] } {
  let found: CommandUnknownOpts = program as unknown as CommandUnknownOpts;
  const rest = text.split(/\s+/);
  for (let next = sub(found, rest[0]); next; next = sub(found, rest[0])) {
    found = next;
    rest.shift();
  }
  return { found, rest };
}

const sub = (command: CommandUnknownOpts, name: string | undefined) =>
  command.commands.find((one) => one.name() === name);

/** Expects that a text begins with a command, and that the options after it are options of this command. */
function expectCommand(text: string): void {
  const { found, rest } = commandIn(text);
  expect(found.commands, `${text} is no command`).toEqual([]);
  const known = found.options.map(({ long }) => long);
  for (const option of rest.filter((word) => word.startsWith('--'))) expect(known, text).toContain(option);
}

it.each([...Object.values(listOf), ...Object.values(remedyOf)])(
  'the advice “%s” is an existing command',
  expectCommand,
);

const kinds = Object.keys(listOf) as (keyof typeof listOf)[];
const subject = (kind: errors.Subject['kind'], id: string | number = 7): errors.Subject => ({ kind, id });
const owner = { ...subject('organisation', 1), name: 'Corner Coffee' };

/** One error of each class and variant for which the command line has a sentence. */
const refusals: readonly Error[] = [
  ...kinds.map((kind) => new errors.NotFoundError(subject(kind))),
  ...kinds.map((kind) => new errors.NotFoundError(subject(kind), { within: owner })),
  new errors.NotFoundError(subject('document'), { within: subject('campaign') }),
  new errors.NotFoundError(subject('decision'), { within: subject('transaction') }),
  new errors.AlreadyExistsError(subject('organisation')),
  new errors.AlreadyExistsError(subject('partnership')),
  new errors.WrongStateError(subject('partnership'), 'deleted'),
  new errors.WrongOrganisationKindError(owner, 'MERCHANT'),
  new errors.NotASideError(7),
  new errors.CampaignRefusedError('campaign 7 is ENDED: duplicate it to run it again'),
  new EntryInUseError(subject('attribute'), [7]),
  new KeyExpiredError(subject('key'), '2026-01-01T00:00:00.000Z'),
  new MissingPermissionsError(subject('key'), ['users:read']),
  new NotACustomerError(subject('member'), owner, []),
  new NotACustomerError(subject('member'), undefined, []),
  ...(
    [
      ...['entries', 'active', 'campaigns', 'cashback', 'transfers', 'partnerships', 'credentials', 'points', 'cents'],
    ] as const
  ).map((kind) => new errors.InUseError(owner, [{ kind: kind as errors.Obstacle['kind'], values: [5] }])),
];

/** The names of all commands with their groups, such as `organisation list`. */
const leaves = (command: CommandUnknownOpts, path: string): string[] =>
  command.commands.length === 0 ? [path] : command.commands.flatMap((one) => leaves(one, `${path} ${one.name()}`));
const commands = leaves(program as unknown as CommandUnknownOpts, '').map((path) => path.trim());
/** Whether a sentence names a command, by its name or in words: “create a key” stands for `key create`. */
const isNamed = (sentence: string) =>
  commands.some((path) => sentence.includes(path)) || /create a key|create another partnership/.test(sentence);

describe('a refusal', () => {
  it.each(refusals.map((error) => [sentenceOf(error), error] as const))(
    'names a command as the next step: %s',
    (sentence) => {
      expect(isNamed(sentence)).toBe(true);
      for (const [, text = ''] of sentence.matchAll(/npm run admin -- ([^),\n]*)/g)) expectCommand(text.trim());
    },
  );

  it('names the command for each fault of a campaign file that a command removes', () => {
    const faults = Object.keys(remedyOf).map((code) => ({ pointer: '/flows', code, message: 'is wrong' }));
    const text = sentenceOf(new FaultyDocumentError('the file', faults));
    for (const remedy of Object.values(remedyOf)) expect(text).toContain(`(npm run admin -- ${remedy})`);
  });

  it('needs no command when it says what to change', () => {
    expect(sentenceOf(new DifferentValuesError(subject('order'), ['total']))).toContain('with another total');
  });
});

/** Codes of faults that the operator removes in the file: their messages say how. All others need a command. */
const mendedInFile = [
  ...['action_of_other_type', 'end_before_start', 'foreign_programs', 'goal_of_other_type', 'in_the_past'],
  ...['invalid_type', 'items_of_payment', 'maximum_of_zero', 'minimum_above_maximum', 'never_holds', 'no_action'],
  ...['no_basket', 'no_dollars', 'no_flow', 'no_items', 'no_payment', 'no_points', 'no_rate', 'nothing_to_multiply'],
  ...['other_rate', 'rate_of_zero', 'repeated_id', 'repeated_limit', 'same_program', 'several_actions'],
  ...['too_large', 'too_many_actions', 'too_many_limits', 'trigger_of_other_type', 'unknown_place', 'unreachable_flow'],
];

it('a command or an edit removes each fault of a campaign file', () => {
  const sources = globSync('shared/domain/campaign/**/*.ts').map((path) => readFileSync(path, 'utf8'));
  const codes = sources.flatMap((text) =>
    [...text.matchAll(/\bfault\(\s*[^,]+,\s*'([a-z_]+)'/g)].map(([, code = '']) => code),
  );
  expect([...new Set(codes)].sort()).toEqual([...mendedInFile, ...Object.keys(remedyOf)].sort());
});

describe('every command', () => {
  it.each(commands)('%s has an example, and prints JSON', (path) => {
    const { found } = commandIn(path);
    const parts: string[] = [];
    found.configureOutput({ writeOut: (text) => void parts.push(text) });
    found.outputHelp();
    const help = parts.join('');
    expect(help).toMatch(new RegExp(`^Examples?:\\n {2}npm run admin -- ${path}`, 'm'));
    expect(help).toContain('--json');
  });

  it('is named in a test or a document, together with its group', () => {
    const files = globSync(['test/tools/**/*.ts', 'test/functions/**/*.ts', 'docs/*.md']).map((path) =>
      readFileSync(path, 'utf8'),
    );
    const names = (text: string, word: string) => text.includes(`'${word}'`) || text.includes(` ${word} `);
    const unnamed = commands.filter(
      (path) => !files.some((text) => path.split(' ').every((word) => names(text, word))),
    );
    expect(unnamed).toEqual([]);
  });
});
