import { Command, Option } from '@commander-js/extra-typings';
import { Operator } from '../operator.ts';
import { openDeployedStage } from '../stage/deployed-stage.ts';
import { openLocalStage } from '../stage/local-stage.ts';
import { type Stage, stageNames } from '../stage/stage.ts';
import { positiveNumber } from './arguments.ts';
import { UsageError } from './errors.ts';
import type { Report } from './report.ts';
import type { Terminal } from './terminal.ts';
import { printable, printableJson } from './text.ts';

/** The command line: what all commands have in common. Groups of commands are added to it. */
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

  /** Whether a command did its work, and what it found is not as it should be. */
  get hasBadNews(): boolean {
    return this.#hasBadNews;
  }

  /** A group of commands, or a command that stands for itself. */
  add(name: string, description: string) {
    return this.program.command(name).description(description).helpCommand(false);
  }

  /** Carries a command out on the stage that was named, and prints what it has to say. */
  async run(work: (operator: Operator) => Promise<Report>): Promise<void> {
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
    .option('--region <region>', 'AWS region of a deployed stage; what the AWS tools use unless given')
    .option('--state-dir <dir>', 'folder of the local platform, as npm start was told (default: .local)')
    .option('--port-base <port>', 'first port of the local platform, instead of its folder', positiveNumber)
    .option('--json', 'print one JSON document, for scripts')
    .option('--yes', 'do what cannot be undone without asking')
    .option('--actor <name>', 'on whose behalf, for the audit trail')
    .helpOption('--help', 'tell how it is used')
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
