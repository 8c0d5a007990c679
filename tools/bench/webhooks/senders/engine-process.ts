import type { BenchEvent } from '../event.ts';
import { serve } from '../processes/serve.ts';

/** The engine with endpoints in memory. */
interface Engine {
  /** Adds an endpoint and returns its subscription id. */
  readonly register: (endpoint: { readonly url: string; readonly topic: string; readonly salt: string }) => string;
  /** Starts the deliveries of events. */
  readonly publish: (events: readonly BenchEvent[]) => void;
}

let engine: Engine | undefined;

function started(): Engine {
  if (!engine) throw new Error('the engine was not started');
  return engine;
}

/** Composes the engine. */
function openEngine(_: { readonly concurrency: number | undefined }): Engine {
  throw new Error('the delivery engine cannot be fed directly yet');
}

const api = {
  start: (options: { readonly concurrency: number | undefined }): void => {
    engine = openEngine(options);
  },
  register: (endpoint: Parameters<Engine['register']>[0]): string => started().register(endpoint),
  publish: (events: readonly BenchEvent[]): void => started().publish(events),
};

/** The functions of the engine's process. */
export type EngineApi = typeof api;

serve(api);
