import { bundle } from './bundle.ts';
import { functionFolders } from './handlers.ts';

/** `npm run build`: every function's code, into dist/<host>/<name>/ and dist/consumers/<name>/. */
const started = performance.now();
const bundles = await bundle(functionFolders(), 'dist');

const largestKb = Math.round(Math.max(...bundles.map(({ bytes }) => bytes)) / 1024);
const elapsedMs = Math.round(performance.now() - started);
console.log(`built ${bundles.length} functions in ${elapsedMs} ms, the largest ${largestKb} KB`);
