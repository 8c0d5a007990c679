import { admitSignUp, admitSignUpStores } from '../../../shared/operations/staff/admit-sign-up.ts';
import { poolTrigger } from '../../../shared/runtime/pool-trigger.ts';

/** Lets only people with an open invitation sign up. */
export const handler = poolTrigger(admitSignUpStores, admitSignUp);
