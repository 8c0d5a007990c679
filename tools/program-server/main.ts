import { parseArgs } from 'node:util';
import { startProgramServer } from './server.ts';

/**
 * Runs a partner's loyalty program for the demonstration: `node tools/program-server/main.ts --port 4521`. The secret
 * is in the environment variable PROGRAM_SECRET. Prints the program's URL, and runs until it is stopped.
 */

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'report-url': { type: 'string' },
    file: { type: 'string' },
  },
});
const secret = process.env.PROGRAM_SECRET ?? '';
if (!secret.startsWith('whsec_')) throw new Error('PROGRAM_SECRET must contain a secret that begins with whsec_');

const { url } = await startProgramServer(
  { secrets: [secret], reportUrl: values['report-url'], file: values.file },
  Number(values.port),
);
console.log(url);
