import { availableParallelism } from 'node:os';
import { listFunctionFolders } from '../../build/handlers.ts';
import { buildBareHandler, buildBundles } from '../bundles.ts';
import { startupPromise } from '../promises.ts';
import { conclude, type Row, save, table } from '../report.ts';
import { type Comparison, compareImports } from './import-time.ts';
import { type Size, sizeOf } from './size.ts';

const rounds = 11;
const outdir = 'bench/out/startup-bundles';

/** What one function takes before it can be called. */
interface Startup extends Size, Comparison {
  readonly name: string;
  /** The promises are about what somebody waits for. */
  readonly isPromised: boolean;
}

/** `npm run bench startup`: size and import time of every function, beside a handler that does nothing. */
export async function benchStartup(): Promise<void> {
  const bundles = await buildBundles(listFunctionFolders(), outdir);
  const bare = await buildBareHandler(outdir);
  const machine = { node: process.version, cores: availableParallelism(), rounds };
  console.log(`node ${machine.node}, ${machine.cores} cores, medians of ${rounds} rounds of new processes\n`);

  const compared = await compareImports([...bundles.values(), bare], bare, rounds);
  const startups = await Promise.all(
    [...bundles, ['bare handler', bare] as const].map(([name, file]) => startupOf(name, file, compared.get(file))),
  );
  console.log(table(startups.map(rowOf)));
  console.log(
    `\npromised of every API function: <= ${startupPromise.sizeKb} KB, <= ${startupPromise.importRatio} x bare`,
  );
  await save('startup', { machine, startups });
  conclude(startups.flatMap(brokenPromises));
}

async function startupOf(name: string, file: string, compared: Comparison | undefined): Promise<Startup> {
  if (!compared) throw new Error(`${name} was not measured`);
  const isPromised = name.includes('/') && !name.startsWith('consumers/');
  return { name, isPromised, ...(await sizeOf(file)), ...compared };
}

function rowOf({ name, sizeKb, gzipKb, wallMs, cpuMs, bareCpuMs, ratio, isPromised }: Startup): Row {
  return {
    function: name,
    ...aligned({ KB: sizeKb, 'gzip KB': gzipKb, 'wall ms': wallMs, 'cpu ms': cpuMs, 'bare cpu ms': bareCpuMs }, 1),
    ...aligned({ ratio }, 2),
    promise: isPromised ? verdict({ sizeKb, ratio }) : '',
  };
}

/** Numbers with the same digits in each line. */
function aligned(figures: Readonly<Record<string, number>>, digits: number): Row {
  const width = 6;
  const texts = Object.entries(figures).map(([name, figure]) => [
    name,
    figure.toFixed(digits).padStart(Math.max(width, name.length)),
  ]);
  return Object.fromEntries(texts);
}

function verdict(startup: Pick<Startup, 'sizeKb' | 'ratio'>): string {
  const { sizeKb, importRatio } = startupPromise;
  return startup.sizeKb <= sizeKb && startup.ratio <= importRatio ? 'kept' : 'BROKEN';
}

function brokenPromises({ name, isPromised, sizeKb, ratio }: Startup): string[] {
  if (!isPromised) return [];
  const { sizeKb: promisedKb, importRatio } = startupPromise;
  return [
    ...(sizeKb <= promisedKb ? [] : [`${name}: ${sizeKb} KB, promised ${promisedKb}`]),
    ...(ratio <= importRatio ? [] : [`${name}: ${ratio.toFixed(2)} times a bare handler, promised ${importRatio}`]),
  ];
}
