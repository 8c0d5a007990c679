import { assemble } from './assembly.ts';

// Ends when the platform that runs this script ends, because the next start may write the same files.
process.channel?.unref();
for (const reason of ['disconnect', 'SIGTERM'] as const) process.once(reason, () => process.exit(1));

/**
 * `node tools/build/assemble.ts DIRECTORY [--no-dashboard]`: builds what the local platform runs. Prints the cloud
 * assembly's folder.
 */
const [directory, option] = process.argv.slice(2);
if (!directory) throw new Error('usage: node tools/build/assemble.ts DIRECTORY [--no-dashboard]');
console.log(await assemble(directory, { dashboard: option !== '--no-dashboard' }));
