import type { Resource, Resources } from '../template/resources.ts';
import type { GatewayResponse } from './gateway-response.ts';

/** What answers a method: a function, or a fixed reply. */
export interface Integration {
  readonly Type: string;
  readonly Uri?: string;
  readonly TimeoutInMillis?: number;
  readonly RequestTemplates?: Readonly<Record<string, string>>;
  readonly IntegrationResponses?: readonly {
    readonly StatusCode: string;
    readonly ResponseParameters?: Readonly<Record<string, string>>;
    readonly ResponseTemplates?: Readonly<Record<string, string>>;
  }[];
}

export interface Route {
  readonly method: string;
  readonly resourceId: string;
  /** As the template has it: `/users/{id}`. */
  readonly resourcePath: string;
  readonly integration: Integration;
}

/** One API of the template: a host. */
export interface RestApi {
  readonly id: string;
  readonly name: string;
  readonly stage: string;
  readonly stageVariables: Readonly<Record<string, string>> | null;
  readonly binaryMediaTypes: readonly string[];
  readonly routes: readonly Route[];
  readonly responses: ReadonlyMap<string, GatewayResponse>;
}

interface ResourceProperties {
  readonly ParentId: string;
  readonly PathPart: string;
  readonly RestApiId: string;
}

interface MethodProperties {
  readonly HttpMethod: string;
  readonly ResourceId: string;
  readonly RestApiId: string;
  readonly AuthorizationType?: string;
  readonly ApiKeyRequired?: boolean;
  readonly Integration: Integration;
}

/** Path of each resource by its id, for one API. */
function pathsOf(api: Resource, resources: Resources): Map<string, string> {
  const parts = new Map(
    resources
      .ofType('AWS::ApiGateway::Resource')
      .map((resource) => [resource.ref, resource.properties<ResourceProperties>()] as const)
      .filter(([, { RestApiId }]) => RestApiId === api.ref),
  );
  const root = api.attribute('RootResourceId');
  const path = (id: string): string => {
    const part = parts.get(id);
    return part === undefined || id === root ? '' : `${path(part.ParentId)}/${part.PathPart}`;
  };
  return new Map([[root, '/'], ...[...parts.keys()].map((id): [string, string] => [id, path(id)])]);
}

const integrationTypes = ['AWS_PROXY', 'MOCK'];

function route(method: Resource, properties: MethodProperties, paths: ReadonlyMap<string, string>): Route {
  const { HttpMethod, ResourceId, Integration, AuthorizationType = 'NONE', ApiKeyRequired } = properties;
  if (!integrationTypes.includes(Integration.Type) || AuthorizationType !== 'NONE' || ApiKeyRequired) {
    throw new Error(
      `${method.logicalId}: only open methods answered by a function or a mock can run on the local platform`,
    );
  }
  const resourcePath = paths.get(ResourceId);
  if (resourcePath === undefined) throw new Error(`${method.logicalId} belongs to no resource of its API`);
  return { method: HttpMethod, resourceId: ResourceId, resourcePath, integration: Integration };
}

function ofApi<Properties extends { readonly RestApiId: string }>(resources: Resources, type: string, id: string) {
  return resources
    .ofType(`AWS::ApiGateway::${type}`)
    .map((resource) => ({ resource, properties: resource.properties<Properties>() }))
    .filter(({ properties }) => properties.RestApiId === id);
}

function restApi(api: Resource, resources: Resources): RestApi {
  const { Name, BinaryMediaTypes } = api.properties<{ Name?: string; BinaryMediaTypes?: string[] }>();
  const [stage] = ofApi<{ RestApiId: string; StageName: string; Variables?: Record<string, string> }>(
    resources,
    'Stage',
    api.ref,
  );
  const paths = pathsOf(api, resources);
  const responses = ofApi<GatewayResponse & { RestApiId: string }>(resources, 'GatewayResponse', api.ref);
  return {
    id: api.ref,
    name: Name ?? api.logicalId,
    stage: stage?.properties.StageName ?? 'local',
    stageVariables: stage?.properties.Variables ?? null,
    binaryMediaTypes: BinaryMediaTypes ?? [],
    routes: ofApi<MethodProperties>(resources, 'Method', api.ref).map(({ resource, properties }) =>
      route(resource, properties, paths),
    ),
    responses: new Map(responses.map(({ properties }) => [properties.ResponseType, properties])),
  };
}

/** Every API of the template with its routes. */
export function restApis(resources: Resources): RestApi[] {
  return resources.ofType('AWS::ApiGateway::RestApi').map((api) => restApi(api, resources));
}

/** What tells the APIs apart: their names without what all of them begin with. `rewards-local-base` → `base`. */
export function hostNames(names: readonly string[]): string[] {
  const words = names.map((name) => name.split('-'));
  const shortest = Math.min(...words.map(({ length }) => length));
  let common = 0;
  while (common < shortest - 1 && words.every((name) => name[common] === words[0]?.[common])) common += 1;
  return words.map((name) => name.slice(common).join('-'));
}
