import type { PoolTrigger } from '../../../shared/contracts/pool-trigger.ts';

export const trigger: PoolTrigger = {
  name: 'admit-sign-up',
  step: 'preSignUp',
  impact: 'Invited people cannot sign up for the dashboard. People who have signed up before are not affected.',
  access: { table: { invitation: ['Query'] } },
};
