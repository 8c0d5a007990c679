import type { ManagementContract } from '../../shared/contracts/contract.ts';
import { contract as getSession } from './session/get-session/contract.ts';

/**
 * The contracts of the host that only the dashboard calls, by resource. The contracts of one resource share a Lambda:
 * functions/management/<resource>/index.ts has their handlers (decision 0185).
 */
export const managementResources: Readonly<Record<string, readonly ManagementContract[]>> = {
  session: [getSession],
};

/** All contracts of the host. */
export const managementContracts: readonly ManagementContract[] = Object.values(managementResources).flat();
