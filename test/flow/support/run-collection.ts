import { readFileSync } from 'node:fs';
import sdk from 'postman-collection';
import { type Run, Runner } from 'postman-runtime';
import type { PostmanEnvironment } from '../../../tools/local/reference/live-page.ts';

/** What became of one request of the collection. */
interface CollectionResult {
  readonly name: string;
  /** The checks that hold. */
  readonly passed: string[];
  /** The checks that do not hold, with the reply, and the errors of scripts. */
  readonly problems: string[];
}

const file = new URL('../../../docs/api/rewards-platform.postman_collection.json', import.meta.url);

/**
 * Runs the whole collection in its order, as Postman does. postman-runtime is the engine of Postman and of newman. It is
 * used without newman, which pins old versions of it and of other packages with known faults.
 */
export async function runCollection(environment: PostmanEnvironment): Promise<CollectionResult[]> {
  const run = await prepare(environment);
  const results: CollectionResult[] = [];
  let body = '';
  const report = (problem: string) => results.at(-1)?.problems.push(`${problem} ${body.slice(0, 300)}`);
  await new Promise<void>((resolve, reject) => {
    run.start({
      response: (error, _cursor, response, _request, { name }) => {
        results.push({ name, passed: [], problems: [] });
        body = response?.text() ?? '';
        if (error) report(error.message);
      },
      assertion: (_cursor, checks) => {
        for (const { name, passed, error } of checks) {
          if (passed) results.at(-1)?.passed.push(name);
          else report(`${name}: ${error?.message}`);
        }
      },
      exception: (_cursor, { message }) => void report(message),
      done: (error) => (error ? reject(error) : resolve()),
    });
  });
  return results;
}

function prepare(environment: PostmanEnvironment): Promise<Run> {
  const collection = new sdk.Collection(JSON.parse(readFileSync(file, 'utf8')));
  const options = { environment: new sdk.VariableScope(environment), requester: {} };
  return new Promise((resolve, reject) => {
    new Runner().run(collection, options, (error, run) => (error ? reject(error) : resolve(run)));
  });
}
