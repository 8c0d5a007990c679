import type { Construct } from 'constructs';
import { type AnyContract, middlewareAccess } from '../../shared/contracts/contract.ts';
import type { Platform } from './platform.ts';
import { PlatformFunction } from './platform-function.ts';
import { joinAccess } from './table-policy.ts';

/** API Gateway gives up after 29 seconds; a caller at a checkout long before. */
const timeoutSeconds = 10;

export interface EndpointFunctionProps {
  readonly platform: Platform;
  readonly contract: AnyContract;
}

/** The Lambda of one endpoint: what its contract declares, and what the middleware needs for it. */
export class EndpointFunction extends PlatformFunction {
  constructor(scope: Construct, { platform, contract }: EndpointFunctionProps) {
    const { host, name, method, path, summary } = contract;
    super(scope, name, {
      platform,
      folder: `${host}/${name}`,
      description: summary.slice(0, 256),
      timeoutSeconds,
      access: joinAccess(contract.access, middlewareAccess(contract)),
      breaks: `${method} ${path} of the ${host} host fails for partners. ${summary}`,
    });
  }
}
