import { Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { OperationError } from '../../../shared/operations/errors.ts';
import type { Author } from '../../../shared/operations/write-audited.ts';
import { type ProgramSecrets, Programs } from '../../../shared/programs/programs.ts';
import { composePlatform, type Platform } from '../../../shared/runtime/platform.ts';
import { TableClient } from '../../../shared/store/table/table-client.ts';
import { positiveNumber } from './input.ts';
import { readMoments } from './moments.ts';
import { withNames } from './names.ts';
import { openDeployedStage, openLocalStage, type Stage, stageNames } from './stage.ts';
import { OperatorError, paragraphs, printable, printableJson, sentenceOf, UsageError } from './text.ts';

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
      parametersEndpoint: undefined,
      issuerEndpoint: undefined,
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
export const addCommand = (group: CommandUnknownOpts, name: string) => group.command(name);

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
