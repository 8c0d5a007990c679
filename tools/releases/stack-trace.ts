import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { CommandError, messageOf, readOptions, runCommand, UsageError } from '../command.ts';

/** `npm run stack-trace -- MAPS FUNCTION [FILE]`: translates a function's stack trace to the sources. */

const usage = `npm run stack-trace -- MAPS FUNCTION [FILE]

Replaces the places in a stack of a deployed function by those of the sources.

  MAPS      the folder of the release's source maps
  FUNCTION  the function's folder, such as reward/create-transaction
  FILE      the file with the stack; by default, the standard input
  --help    prints this help

Example:
  gh release download v0.2.0 --pattern source-maps.tar.gz && tar -xzf source-maps.tar.gz
  npm run stack-trace -- maps reward/create-transaction stack.txt`;

/** A place in the only file of a function: `/var/task/index.cjs:12:3456`. */
const place = /[^\s(]*index\.cjs:(\d+):(\d+)/g;

/** Replaces each place that the map knows. In stack traces, lines and columns begin at 1; in the map, at 0. */
export function decodeStack(stack: string, map: SourceMap): string {
  return stack.replaceAll(place, (whole, line: string, column: string) => {
    const found = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (!('originalSource' in found)) return whole;
    const source = found.originalSource.replace(/^(\.\.\/)+/, '');
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

/** Reads the map of a function from the folder of a release. */
export function readMap(maps: string, folder: string): SourceMap {
  return new SourceMap(JSON.parse(readFileSync(join(maps, folder, 'index.cjs.map'), 'utf8')));
}

function main(): undefined {
  const options = { help: { type: 'boolean', default: false } } as const;
  const { values, positionals } = readOptions({ allowPositionals: true, options });
  const [maps, folder, file] = positionals;
  if (values.help) {
    console.log(usage);
    return;
  }
  if (maps === undefined || folder === undefined) {
    throw new UsageError(
      'name the folder of the source maps and the function, such as: maps reward/create-transaction',
    );
  }
  const map = readOr(`${maps} has no source map of the function ${folder}`, () => readMap(maps, folder));
  console.log(
    decodeStack(
      readOr('the stack cannot be read', () => readFileSync(file ?? 0, 'utf8')),
      map,
    ),
  );
}

/** @throws CommandError with a sentence about a file that is missing or malformed */
function readOr<Value>(problem: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new CommandError(`${problem}: ${messageOf(error)}`);
  }
}

if (import.meta.main) await runCommand(main);
