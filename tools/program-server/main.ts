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
const secretBytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length;
if (!secret.startsWith('whsec_') || secretBytes < 24 || secretBytes > 64) {
  throw new Error(
    `PROGRAM_SECRET must be whsec_ followed by the base64 of 24 to 64 bytes; it has ${secretBytes} bytes`,
  );
}

const { url } = await startProgramServer(
  { secrets: [secret], reportUrl: values['report-url'], file: values.file },
  Number(values.port),
);
console.log(url);
