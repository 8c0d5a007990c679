import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions, runCommand } from '../command.ts';
import { runDrill } from './drill.ts';
import { listExportFiles } from './table-export.ts';

const usage = `npm run restore-drill -- [options]

Plays a restore on this machine: exports a table, loses it, makes a new one from the export, puts it in place by
restoredTable, compares counts and sums, reconciles the books, and lets a purchase go on. Ends with status 1 when
something is not as it was.

  --export FOLDER   a copy of a stage's export, in the format DYNAMODB_JSON; without it, the drill makes a small world
  --help            prints this help

Example:
  aws s3 cp --recursive s3://my-exports/AWSDynamoDB/0172… ./export && npm run restore-drill -- --export ./export`;

async function main(): Promise<number> {
  const { export: exported, help } = readOptions({
    options: { export: { type: 'string' }, help: { type: 'boolean', default: false } },
  }).values;
  if (help) {
    console.log(usage);
    return 0;
  }
  // Refuses a wrong folder at once, before anything is built.
  if (exported !== undefined) listExportFiles(exported);
  const folder = await mkdtemp(join(tmpdir(), 'restore-drill-'));
  try {
    const { items, faults, restoreMs } = await runDrill({ folder, exported, say: (line) => console.log(line) });
    for (const fault of faults) console.error(fault);
    console.log(`${items} items in ${Math.round(restoreMs / 1000)} seconds: ${faults.length} faults`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await runCommand(main);
