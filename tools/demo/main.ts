import { parseArgs } from 'node:util';
import { beQuiet, stepsTable } from './narrator.ts';
import { usePlatform } from './platform.ts';
import { playStory } from './story.ts';

const usage = `Usage: npm run demo -- [options]

Plays the product's story against the running platform, and checks every step.
Without a running platform it starts one for the time of the story.

Options:
  --quiet            print the table of steps only
  --state-dir <dir>  state folder of the platform, as given to npm start (default: .local)
  --help             show this text

Example:
  npm run demo -- --quiet --state-dir /tmp/second-platform
`;

/** `npm run demo`. Fails when a fact does not hold. */
async function main(): Promise<void> {
  const { help, quiet, 'state-dir': stateDir } = readOptions();
  if (help) return console.log(usage);
  if (quiet) beQuiet();
  const { platform, state, release } = await usePlatform(stateDir);
  try {
    await playStory(platform, state);
    console.log(
      `\n${stepsTable()}\n\nEvery fact holds. What to read next: README.md, docs/architecture/overview.md.\n`,
    );
  } catch (error) {
    console.log(`\n${stepsTable()}`);
    console.error(`\nThe demonstration failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await release();
  }
}

function readOptions() {
  const options = { help: { type: 'boolean' }, quiet: { type: 'boolean' }, 'state-dir': { type: 'string' } } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

await main().catch((error: unknown) => {
  console.error(`The demonstration could not begin: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
