import type { AnyContract } from '../../../shared/contracts/contract.ts';
import type { Request } from '../../../test/support/call.ts';
import type { Stage } from './stage.ts';

/** One request worth measuring. */
export interface Scenario {
  readonly contract: AnyContract;
  /** What is particular about it, where an endpoint has several. */
  readonly name: string;
  /** Plays what has to be there before, and gives the request. Each request is sent once; `nth` tells them apart. */
  readonly prepare: (stage: Stage, nth: number) => Promise<Request>;
}

export const scenario = (contract: AnyContract, name: string, prepare: Scenario['prepare']): Scenario => ({
  contract,
  name,
  prepare,
});
