import { systemTerminal } from './cli/terminal.ts';
import { runAdmin } from './program.ts';

/** `npm run admin -- <command>` */
process.exitCode = await runAdmin(process.argv.slice(2), systemTerminal());
