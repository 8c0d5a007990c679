import { bundle, listFunctionFolders } from './bundle.ts';

/** `npm run build`: bundles every function into dist/<host>/<name>/ or dist/consumers/<name>/. */
const started = performance.now();
const bundles = await bundle(listFunctionFolders(), 'dist');

const largestKb = Math.round(Math.max(...bundles.map(({ bytes }) => bytes)) / 1024);
const elapsedMs = Math.round(performance.now() - started);
console.log(`built ${bundles.length} functions in ${elapsedMs} ms, the largest ${largestKb} KB`);
