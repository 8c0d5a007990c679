import type { TableAccess } from './table.ts';

/** A function that the user pool of staff calls, and waits for, at a step of a sign-up. */
export interface PoolTrigger {
  /** The folder below functions/identity, and the name of the function. */
  readonly name: string;
  readonly step: 'preSignUp';
  /** What fails, and for whom, while the function fails. It is the text of the function's alarm. */
  readonly impact: string;
  readonly access: TableAccess;
}

/** The log message of a sign-up that the function refuses. It can refuse only by an error, which is no failure. */
export const refusedSignUpMessage = 'sign-up.refused';
