import type { Context, PreSignUpTriggerEvent } from 'aws-lambda';
import { refusedSignUpMessage } from '../contracts/pool-trigger.ts';
import { once } from '../domain/memoize.ts';
import type { Deps, StoreClasses } from '../operations/operation.ts';
import { SignUpRefusedError } from '../operations/staff/admit-sign-up.ts';
import { logger, type Runtime, runtime, withStores } from './runtime.ts';

/**
 * Makes the Lambda that a user pool calls before it makes a user. An error refuses the sign-up, and Cognito shows its
 * message to the person. A user whom an operator makes by an AWS call is admitted without a question.
 *
 * @param admit receives the address of the person
 */
export function poolTrigger<Classes extends StoreClasses>(
  stores: Classes,
  admit: (address: string, deps: Runtime & Deps<Classes>) => Promise<void>,
) {
  const deps = once(() => withStores(runtime(), stores));

  return async (event: PreSignUpTriggerEvent, context?: Context): Promise<PreSignUpTriggerEvent> => {
    const log = logger();
    if (context) log.addContext(context);
    if (event.triggerSource === 'PreSignUp_AdminCreateUser') return event;
    try {
      await admit(event.request.userAttributes.email ?? '', deps());
      log.info('sign-up.admitted');
      return event;
    } catch (error) {
      if (error instanceof SignUpRefusedError) log.info(refusedSignUpMessage);
      else log.error('sign-up.failed', { error });
      throw error;
    }
  };
}
