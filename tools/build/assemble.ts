import { assemble } from './assembly.ts';

/** `node tools/build/assemble.ts DIRECTORY`: what the local platform runs, in a folder of its own. */
const [directory] = process.argv.slice(2);
if (!directory) throw new Error('say which folder to build in');
console.log(await assemble(directory));
