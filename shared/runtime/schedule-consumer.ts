import { once } from '../domain/memoize.ts';
import type { Deps, StoreClasses } from '../operations/operation.ts';
import { type Runtime, runtime, withStores } from './runtime.ts';

/** Makes the Lambda of a schedule. When `handle` fails, the Lambda fails and its alarm reports it. */
export function scheduleConsumer<Classes extends StoreClasses>(
  stores: Classes,
  handle: (deps: Runtime & Deps<Classes>) => Promise<void>,
) {
  const deps = once(() => withStores(runtime(), stores));
  return (): Promise<void> => handle(deps());
}
