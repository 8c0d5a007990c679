import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Account } from '../account.ts';
import type { LocalUrls } from '../template/local-urls.ts';
import type { Resource } from '../template/resources.ts';

/** The settings of a function, from the template. */
export interface FunctionSettings {
  readonly logicalId: string;
  readonly name: string;
  /** The service name in its logs and metrics, such as `base/get-user`. */
  readonly shortName: string;
  readonly arn: string;
  readonly handlerFile: string;
  readonly exportName: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  /** ARN of the function's role. */
  readonly role: string;
}

interface FunctionProperties {
  readonly Code: { readonly S3Key?: string; readonly ZipFile?: string };
  readonly Handler: string;
  readonly Role: string;
  readonly Runtime: string;
  readonly Timeout?: number;
  readonly MemorySize?: number;
  readonly Environment?: { readonly Variables?: Record<string, unknown> };
}

/** The extensions of a handler's file, in the order in which Lambda tries them. */
const extensions = ['.js', '.mjs', '.cjs'];

function findHandlerFile(folder: string, module: string): string {
  const files = extensions.map((extension) => join(folder, `${module}${extension}`));
  const file = files.find((candidate) => existsSync(candidate));
  if (!file) throw new Error(`found none of ${files.map((candidate) => basename(candidate)).join(', ')} in ${folder}`);
  return file;
}

/** @throws Error when the function's code is not a Node asset of the assembly */
export function readFunctionSettings(resource: Resource): FunctionSettings {
  const properties = resource.properties<FunctionProperties>();
  const { S3Key } = properties.Code;
  if (!S3Key || !properties.Runtime.startsWith('nodejs')) {
    throw new Error(`${resource.logicalId}: only Node functions made from an asset can run on the local platform`);
  }
  const [module = '', exportName = ''] = properties.Handler.split('.');
  const variables = Object.entries(properties.Environment?.Variables ?? {});
  const environment = Object.fromEntries(variables.map(([name, value]) => [name, String(value)]));
  return {
    logicalId: resource.logicalId,
    name: resource.ref,
    shortName: environment.POWERTOOLS_SERVICE_NAME ?? resource.ref,
    arn: resource.attribute('Arn'),
    handlerFile: findHandlerFile(resource.asset(S3Key), module),
    exportName,
    timeoutMs: (properties.Timeout ?? 3) * 1000,
    memoryMb: properties.MemorySize ?? 128,
    environment,
    role: properties.Role,
  };
}

/** Endpoints of the platform's services. */
export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly events: string;
  readonly scheduler: string;
  readonly secrets: string;
  readonly parameters: string;
  readonly oidc: string | undefined;
}

interface EnvironmentInput {
  readonly account: Account;
  readonly endpoints: Endpoints;
  readonly localUrls: LocalUrls;
  /** Whether the function's clock differs from the times in the replies of the services. */
  readonly isTimeShifted?: boolean;
  /** Variables that replace the template's variables. */
  readonly overrides?: Readonly<Record<string, string>> | undefined;
}

/**
 * Builds the complete environment of a function. The SDKs read the endpoints from it, so handlers need no code for the
 * local platform.
 */
export function buildEnvironment(
  settings: FunctionSettings,
  { account, endpoints, localUrls, isTimeShifted, overrides }: EnvironmentInput,
): Record<string, string> {
  const variables = Object.entries(settings.environment).map(([name, value]) => [name, localUrls.localize(value)]);
  return {
    PATH: process.env.PATH ?? '',
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
    AWS_REGION: account.region,
    AWS_DEFAULT_REGION: account.region,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_LAMBDA_FUNCTION_NAME: settings.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(settings.memoryMb),
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.events,
    AWS_ENDPOINT_URL_SCHEDULER: endpoints.scheduler,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secrets,
    AWS_ENDPOINT_URL_SSM: endpoints.parameters,
    ...(endpoints.oidc !== undefined && { AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: endpoints.oidc }),
    // The shifted clock looks like clock skew to the SDK. Without this variable, the SDK would think that every refusal
    // is caused by the skew, and would retry the call.
    ...(isTimeShifted && { AWS_DISABLE_CLOCK_SKEW_CORRECTION: 'true' }),
    ...Object.fromEntries(variables),
    ...overrides,
  };
}
