/** The parts of two packages without types that run the Postman collection. */
declare module 'postman-collection' {
  namespace sdk {
    class Collection {
      constructor(definition: unknown);
    }
    class VariableScope {
      constructor(definition: unknown);
    }
  }
  export = sdk;
}

declare module 'postman-runtime' {
  import type { Collection, VariableScope } from 'postman-collection';

  interface Assertion {
    readonly name: string;
    readonly passed: boolean;
    readonly error?: Error;
  }
  interface Response {
    readonly code: number;
    text(): string;
  }
  interface Callbacks {
    assertion(cursor: unknown, assertions: readonly Assertion[]): void;
    response(
      error: Error | null,
      cursor: unknown,
      response: Response,
      request: unknown,
      item: { readonly name: string },
    ): void;
    exception(cursor: unknown, error: Error): void;
    done(error: Error | null): void;
  }
  export interface Run {
    start(callbacks: Partial<Callbacks>): void;
  }
  export class Runner {
    run(
      collection: Collection,
      options: { readonly environment: VariableScope; readonly requester: object },
      callback: (error: Error | null, run: Run) => void,
    ): void;
  }
}
