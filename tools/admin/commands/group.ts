import type { Cli } from '../cli/cli.ts';

/** Adds a group of commands, or one that stands for itself, to the command line. */
export type CommandGroup = (cli: Cli) => void;
