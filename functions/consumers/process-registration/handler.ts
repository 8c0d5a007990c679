import {
  processRegistration,
  processRegistrationStores,
} from '../../../shared/operations/award/process-registration.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Gives the awards for the first link of an account: to the account's member and to the referrer. */
export const handler = consumer(declaration, processRegistrationStores, processRegistration);
