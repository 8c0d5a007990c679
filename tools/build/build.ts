import { resolve } from 'node:path';
import { bundle, listFunctionFolders } from './bundle.ts';
import { buildDashboard } from './dashboard.ts';

/**
 * `npm run build`: bundles every function into dist/<host>/<name>/ or dist/consumers/<name>/, and builds the dashboard
 * into dashboard/dist/.
 */
const started = performance.now();
const [bundles] = await Promise.all([bundle(listFunctionFolders(), 'dist'), buildDashboard(resolve('dashboard/dist'))]);

const largestKb = Math.round(Math.max(...bundles.map(({ bytes }) => bytes)) / 1024);
const elapsedMs = Math.round(performance.now() - started);
console.log(`built ${bundles.length} functions and the dashboard in ${elapsedMs} ms, the largest ${largestKb} KB`);
