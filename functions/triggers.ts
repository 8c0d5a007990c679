import type { PoolTrigger } from '../shared/contracts/pool-trigger.ts';
import { trigger as admitSignUp } from './identity/admit-sign-up/trigger.ts';

/** Every function that the user pool of staff calls. The stacks, the build and the tests read this list. */
export const triggers: readonly PoolTrigger[] = [admitSignUp];
