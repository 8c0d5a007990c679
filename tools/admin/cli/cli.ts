import { readFile, writeFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { Command, type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type * as z from 'zod/mini';
import { permissions, type Scope, scopes } from '../../../shared/contracts/contract.ts';
import { maximumCharacters, minimumPinDigits } from '../../../shared/contracts/limits.ts';
import { FaultyDocumentError, parseWith } from '../../../shared/domain/campaign/authoring/schema-faults.ts';
import { isPin } from '../../../shared/domain/connect/proof-counter.ts';
import { redirectUriFault } from '../../../shared/domain/connect/redirect-uri.ts';
import { Instant, isTimeZone } from '../../../shared/domain/period.ts';
import { OperationError } from '../../../shared/operations/errors.ts';
import type { Author } from '../../../shared/operations/write-audited.ts';
import { type ProgramSecrets, Programs } from '../../../shared/programs/programs.ts';
import { composePlatform, type Platform } from '../../../shared/runtime/platform.ts';
import { TableClient } from '../../../shared/store/table/table-client.ts';
import { readMoments } from './moments.ts';
import { withNames } from './names.ts';
import { openDeployedStage, openLocalStage, type Stage, stageNames } from './stage.ts';
import { OperatorError, paragraphs, printable, printableJson, sentenceOf, UsageError } from './text.ts';

/**
 * Arguments and options that several commands share, and parsers. A value that a parser refuses counts as wrong usage.
 */

export const organisationArgument = ['<organisation>', 'id or exact name of the organisation'] as const;
export const partnershipArgument = ['<partnership>', 'UUID or exact name of the partnership'] as const;
export const campaignArgument = ['<campaign>', 'id of the campaign', wholeNumber] as const;
export const memberArgument = ['<member>', 'id or UUID; with --of the id that the organisation uses'] as const;
export const ofOption = ['--of <organisation>', 'id or exact name of the organisation that uses the id'] as const;
export const asOption = ['--as <organisation>', 'id or exact name of the organisation that acts'] as const;
export const revisionOption = [
  '--revision <number>',
  'fail unless this is the campaign’s revision',
  wholeNumber,
] as const;

type Permission = (typeof permissions)[number];

/** Parses permissions, such as `users:read,transactions:read`. */
export const permissionList = (text: string): Permission[] => listOf('permission', permissions, text);

/** Parses scopes, such as `transactions:read,templates:read`. */
export const scopeList = (text: string): Scope[] => listOf('scope', scopes, text);

/** Parses a list of names. Returns them in the order of the known names. */
function listOf<Name extends string>(kind: string, known: readonly Name[], text: string): Name[] {
  const names = new Set(text.split(/[\s,]+/).filter(Boolean));
  const unknown = [...names].filter((name) => !known.some((one) => one === name));
  if (names.size === 0 || unknown.length > 0) {
    const fault = unknown.length > 0 ? `There is no ${kind} ${unknown.join(', ')}.` : 'Name at least one.';
    const all = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s are: ${known.join(', ')}.`;
    throw new InvalidArgumentError(`${fault} ${all}`);
  }
  return known.filter((name) => names.has(name));
}

/** A whole number from zero on. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It has to be a whole number, from 0 on.');
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('It is too large.');
  return value;
}

/** A whole number from one on. */
export function positiveNumber(text: string): number {
  const value = wholeNumber(text);
  if (value === 0) throw new InvalidArgumentError('It has to be at least 1.');
  return value;
}

/** A month in UTC, `2026-11`. */
export function month(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('It has to be a month such as 2026-11.');
  return text;
}

/** An instant such as `2026-11-20T09:00:00Z`. */
export function instant(text: string): Date {
  const { success } = Instant.safeParse(text);
  if (success) return new Date(text);
  throw new InvalidArgumentError('It has to be a time with its offset, such as 2026-11-20T09:00:00Z.');
}

/** A name of the IANA time zone database, in its official spelling. */
export function timeZone(text: string): string {
  if (!isTimeZone(text)) throw new InvalidArgumentError('It has to be a time zone such as America/New_York.');
  return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone;
}

/** Adds a redirect URI to the earlier ones, because the option may be repeated. */
export function redirectUris(text: string, earlier: readonly string[] = []): string[] {
  const fault = redirectUriFault(text);
  if (fault) throw new InvalidArgumentError(`It ${fault.message}.`);
  // The text is not normalized, because requests are compared with it character by character.
  return [...earlier, text];
}

/** A PIN of a hosted program. */
export function pin(text: string): string {
  if (!isPin(text)) throw new InvalidArgumentError(`It has to be ${minimumPinDigits} digits or more.`);
  return text;
}

/** Parses dollars with at most two decimals. Returns cents, at least 1. */
export function dollarAmount(text: string): number {
  const cents = /^\d{1,9}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : 0;
  if (cents === 0) throw new InvalidArgumentError('It has to be dollars such as 12.50, more than zero.');
  return cents;
}

/** Parses dollars with at most six decimals. Returns millionths of a dollar. */
export function dollarPrice(text: string): number {
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError('It has to be dollars such as 0.012.');
  return Math.round(Number(text) * 1_000_000);
}

/** Text that is not blank. */
export function nonEmptyText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

/** A text that is not blank, and no longer than the platform allows for texts in requests. */
export function shortText(text: string): string {
  if (text.length > maximumCharacters.text) {
    throw new InvalidArgumentError(`It must not be longer than ${maximumCharacters.text} characters.`);
  }
  return nonEmptyText(text);
}

/**
 * Reads a JSON file that an operator wrote.
 *
 * @throws OperatorError when it cannot be read or is not JSON
 * @throws FaultyDocumentError with every fault
 */
export async function readJsonFile<Schema extends z.ZodMiniType>(
  path: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const read = parseWith(schema, parseJson(path, await readText(path)));
  if ('parsed' in read) return read.parsed;
  throw new FaultyDocumentError(path, read.faults);
}

/** Reads a text file of the operator. @throws OperatorError when it cannot be read */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(callersPath(path), 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Writes a text file for the operator. @throws OperatorError when it cannot be written */
export async function writeText(path: string, text: string): Promise<void> {
  try {
    // The file may contain personal data, so other users of the machine cannot read a new file.
    await writeFile(callersPath(path), text, { mode: 0o600 });
  } catch (error) {
    throw new OperatorError(`${path} cannot be written: ${messageOf(error)}`);
  }
}

/** A path as the operator means it: relative to the folder in which the operator called npm. */
export const callersPath = (path: string) => resolve(callersFolder(), path);

/** npm runs scripts in the project's folder, and passes the caller's folder in INIT_CWD. */
function callersFolder(): string {
  const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
  return script === 'admin' && folder ? folder : process.cwd();
}

/** The error about a file or folder that cannot be read. */
export function unreadable(path: string, error: unknown): OperatorError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const folder = isAbsolute(path) ? '' : ` in ${callersFolder()}`;
  if (code === 'ENOENT') return new OperatorError(`there is no ${path}${folder}: check the path`);
  if (code === 'EISDIR') return new OperatorError(`${path} is a folder: name a file in it`);
  return new OperatorError(`${path} cannot be read: ${messageOf(error)}`);
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [line = ''] = text.trim().split('\n', 1);
    const cause = /^[[{]/.test(line) ? messageOf(error) : `it begins with “${line.slice(0, 40)}”, and not with {`;
    throw new OperatorError(`${path} is not JSON: ${cause.replaceAll(/\s+/g, ' ')}`);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The streams of a command, and the person at the keyboard. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Asks the person a question; undefined when the input is not a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

/** A command as the operator typed it. */
export interface Assignment {
  /** The name of the command, such as `key revoke`. */
  readonly command: string;
  /** The person for whom the operator acts, if one was named. */
  readonly actor: string | undefined;
  /** True when the operator gave `--yes`: changes that cannot be undone then need no answer. */
  readonly isConfirmed: boolean;
}

/** An operator at work on a stage. Every command calls the platform's operations with `deps`. */
export class Operator {
  readonly deps: Platform & { readonly author: Author; readonly secrets: ProgramSecrets };
  readonly stage: Stage;
  readonly #isConfirmed: boolean;
  readonly #terminal: Terminal;

  constructor(stage: Stage, { command, actor = undefined, isConfirmed }: Assignment, terminal: Terminal) {
    this.stage = stage;
    this.#isConfirmed = isConfirmed;
    this.#terminal = terminal;
    const config = {
      stage: stage.name,
      tableName: stage.tableName,
      // The same hosts as in the settings of the stage `local`: the demonstration's program listens on loopback.
      webhookHttpHosts: stage.name === 'local' ? ['127.0.0.1', 'localhost'] : [],
      baseUrl: '',
      busName: undefined,
      queueUrls: {},
      secretsEndpoint: undefined,
      clock: { groupName: undefined, roleArn: undefined, targetArn: undefined, deadLetterArn: undefined },
    };
    const table = new TableClient(stage.documents, stage.tableName);
    const platform = composePlatform(config, { table });
    const { secrets } = stage;
    const programs = new Programs(table, { ...platform, secrets });
    const author = { operator: stage.operator, actor: actor ?? null, command, run: platform.nextUuid() };
    this.deps = { ...platform, programs, author, secrets };
  }

  /**
   * Asks the operator to confirm a change that cannot be undone.
   *
   * @throws OperatorError when the answer is no, or the input is not a terminal
   */
  readonly confirm = async (question: string): Promise<void> => {
    if (this.#isConfirmed) return;
    const { ask } = this.#terminal;
    if (ask === undefined) {
      throw new OperatorError(`this has to be confirmed, and there is no terminal to ask at; give --yes. ${question}`);
    }
    const answer = await ask(`${printable(question)} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('not confirmed; nothing was changed');
  };
}

/** The result of a command, for scripts and for people. */
export interface Report {
  /** One document. Its field names stay the same when field names of the domain change. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** True when the command worked, but found a fault. The process then ends with status 1. */
  readonly isBad?: boolean;
}

/** The work of one command: it calls an operation and returns the report to print. */
export type Door<Parameters extends readonly unknown[]> = (
  operator: Operator,
  ...parameters: Parameters
) => Promise<Report>;

/** The names of a command and of the groups that contain it: `organisation tier set`. */
const pathOf = (command: CommandUnknownOpts): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** The command line: the options, output and exit status that all commands share. */
export class Cli {
  readonly program;
  readonly #terminal: Terminal;
  #command = '';
  #hasBadNews = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.program = newProgram(terminal);
    this.program.hook('preAction', (_, command) => {
      this.#command = pathOf(command);
    });
  }

  /** True when a command reported a fault. */
  get hasBadNews(): boolean {
    return this.#hasBadNews;
  }

  /** Adds a group of commands, or a command without a group. */
  add(name: string, description: string) {
    return this.program.command(name).description(description).helpCommand(false);
  }

  /**
   * Returns the action of a command: it opens the stage, runs the door and prints the report.
   *
   * @param examples commands with their arguments, for the end of the command's help
   */
  door<Parameters extends readonly unknown[]>(work: Door<Parameters>, ...examples: readonly string[]) {
    const run = (...parameters: Parameters) => this.#run((operator) => work(operator, ...parameters));
    return Object.assign(run, { examples });
  }

  async #run(work: (operator: Operator) => Promise<Report>): Promise<void> {
    const options = this.program.opts();
    const stage = await this.#openStage();
    const assignment = { command: this.#command, actor: options.actor, isConfirmed: options.yes === true };
    const operator = new Operator(stage, assignment, this.#terminal);
    try {
      const { result, zoneSentence } = await readMoments(() => work(operator));
      const { json, text, isBad = false } = result;
      const read = zoneSentence === undefined ? text : paragraphs(text, zoneSentence);
      // CSV already ends with a line break.
      this.#terminal.out(options.json ? `${printableJson(json)}\n` : printable(read).replace(/\n*$/, '\n'));
      this.#hasBadNews = isBad;
    } catch (error) {
      throw error instanceof OperationError
        ? new OperatorError(await withNames(sentenceOf(error), operator.deps))
        : error;
    } finally {
      stage.close();
    }
  }

  #openStage(): Promise<Stage> {
    const { stage, stateDir, portBase, region } = this.program.opts();
    if (stage === 'local') {
      if (region !== undefined) throw new UsageError('--region is for deployed stages: name one with --stage');
      return openLocalStage({ stateDir: stateDir ?? '.local', portBase });
    }
    if (stateDir !== undefined || portBase !== undefined) {
      throw new UsageError(`--state-dir and --port-base are for the local platform, and --stage is ${stage}`);
    }
    return openDeployedStage(stage, region);
  }
}

/** Adds a command to a group. */
export const addCommand = (group: CommandUnknownOpts, name: string, description: string) =>
  group.command(name).description(description);

/** A command whose help ends with the examples of its action. */
class CommandWithExamples extends Command {
  override createCommand(name?: string): CommandWithExamples {
    return new CommandWithExamples(name);
  }

  override action(run: Parameters<Command['action']>[0] & { readonly examples?: readonly string[] }): this {
    const { examples = [] } = run;
    if (examples.length > 0) this.addHelpText('after', examplesText(examples));
    return super.action(run);
  }

  /** Commander calls this method for the first missing option. */
  missingMandatoryOptionValue(): never {
    return this.#reportMissing();
  }

  /** Commander calls this method for the first missing argument. */
  missingArgument(): never {
    return this.#reportMissing();
  }

  /** Reports every missing argument and option at once. */
  #reportMissing(): never {
    const places = this.registeredArguments.filter(
      ({ required }, position) => required && position >= this.args.length,
    );
    const options = this.options.filter(
      (option) => option.mandatory && this.getOptionValue(option.attributeName()) === undefined,
    );
    const missing = [...places.map((one) => `<${one.name()}>`), ...options.map(({ flags }) => flags)];
    return this.error(`missing: ${missing.join(', ')}`);
  }
}

function newProgram(terminal: Terminal) {
  return new CommandWithExamples('npm run admin --')
    .description('The operator’s command line of the Rewards Platform.')
    .usage('<command> [options]')
    .addOption(new Option('--stage <stage>', 'the platform to work on').choices(stageNames).default('local'))
    .option('--region <region>', 'AWS region of a deployed stage (default: the region of the AWS tools)')
    .option('--state-dir <dir>', 'state folder of the local platform, as given to npm start (default: .local)')
    .option('--port-base <port>', 'first port of the local platform, instead of its folder', positiveNumber)
    .option('--json', 'print one JSON document, for scripts')
    .option('--yes', 'make changes that cannot be undone without asking')
    .option('--actor <name>', 'the person on whose behalf you act, for the audit trail')
    .helpOption('--help', 'show how the command is used')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: (text, write) => write(text.replace(/^error: /, '')),
    })
    .showHelpAfterError('Give --help to see how the command is used.')
    .exitOverride();
}

const examplesText = (commands: readonly string[]) =>
  `\nExample${commands.length > 1 ? 's' : ''}:\n${commands.map((command) => `  npm run admin -- ${command}`).join('\n')}\n`;
