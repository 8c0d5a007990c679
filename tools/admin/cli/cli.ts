import { Command, Option } from '@commander-js/extra-typings';
import type { Author } from '../../../shared/operations/write-audited.ts';
import { composePlatform, type Platform } from '../../../shared/runtime/platform.ts';
import { TableClient } from '../../../shared/store/table/table-client.ts';
import { positiveNumber } from './arguments.ts';
import { OperatorError, UsageError } from './errors.ts';
import { openDeployedStage, openLocalStage, type Stage, stageNames } from './stage.ts';
import { printable, printableJson } from './text.ts';

/** The streams of a command, and the person at the keyboard. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Asks the person a question; undefined when the input is not a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

/** A command as it was given. */
export interface Assignment {
  /** The name of the command, such as `key revoke`. */
  readonly command: string;
  /** The person on whose behalf the operator acts, if one was named. */
  readonly actor: string | undefined;
  /** True when changes that cannot be undone are confirmed beforehand. */
  readonly isConfirmed: boolean;
}

/** An operator at work on a stage. Every command calls the platform's operations with `deps`. */
export class Operator {
  readonly deps: Platform & { readonly author: Author };
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
      webhookHttpHosts: [],
      busName: undefined,
      queueUrls: { deliver: undefined },
      clock: { groupName: undefined, roleArn: undefined, targetArn: undefined, deadLetterArn: undefined },
    };
    const platform = composePlatform(config, { table: new TableClient(stage.documents, stage.tableName) });
    this.deps = { ...platform, author: { operator: stage.operator, actor: actor ?? null, command } };
  }

  /**
   * Asks the operator to confirm a change that cannot be undone.
   *
   * @throws OperatorError when the answer is no, or no terminal is there to ask at
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
  /** One document. Its field names stay when those of the domain change. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** True when the command worked and found something wrong: it then ends with status 1. */
  readonly isBad?: boolean;
}

/** The work of one command: a door that calls an operation and reports its result. */
export type Door<Parameters extends readonly unknown[]> = (
  operator: Operator,
  ...parameters: Parameters
) => Promise<Report>;

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
      this.#command = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
    });
  }

  /** True when a command reported something wrong. */
  get hasBadNews(): boolean {
    return this.#hasBadNews;
  }

  /** Adds a group of commands, or a command without a group. */
  add(name: string, description: string) {
    return this.program.command(name).description(description).helpCommand(false);
  }

  /** Returns the action of a command: it opens the stage, runs the door and prints the report. */
  door<Parameters extends readonly unknown[]>(work: Door<Parameters>) {
    return (...parameters: Parameters) => this.#run((operator) => work(operator, ...parameters));
  }

  async #run(work: (operator: Operator) => Promise<Report>): Promise<void> {
    const options = this.program.opts();
    const stage = await this.#openStage();
    try {
      const assignment = { command: this.#command, actor: options.actor, isConfirmed: options.yes === true };
      const { json, text, isBad = false } = await work(new Operator(stage, assignment, this.#terminal));
      this.#terminal.out(`${options.json ? printableJson(json) : printable(text)}\n`);
      this.#hasBadNews = isBad;
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

function newProgram(terminal: Terminal) {
  return new Command('npm run admin --')
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

/** Examples at the end of a command's help. */
export const examples = (...commands: readonly string[]) =>
  `\nExample${commands.length > 1 ? 's' : ''}:\n${commands.map((command) => `  npm run admin -- ${command}`).join('\n')}\n`;
