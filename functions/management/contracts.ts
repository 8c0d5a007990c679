import type { ManagementContract } from '../../shared/contracts/contract.ts';
import { contract as finishSignIn } from './session/finish-sign-in/contract.ts';
import { contract as getSession } from './session/get-session/contract.ts';
import { contract as startSignIn } from './session/start-sign-in/contract.ts';

/**
 * The contracts of the host that only the dashboard calls, by resource. The contracts of one resource share a Lambda:
 * functions/management/<resource>/index.ts has their handlers (decision 0185).
 */
export const managementResources: Readonly<Record<string, readonly ManagementContract[]>> = {
  session: [getSession, startSignIn, finishSignIn],
};

/** All contracts of the host. */
export const managementContracts: readonly ManagementContract[] = Object.values(managementResources).flat();
