import type { Account } from '../account.ts';
import type { Resource, Resources } from '../template/resources.ts';

/** The integration of a method: a function or a fixed reply. */
export interface Integration {
  readonly Type: string;
  readonly Uri?: string;
  readonly TimeoutInMillis?: number;
  readonly RequestTemplates?: Readonly<Record<string, string>>;
  readonly IntegrationResponses?: readonly {
    readonly StatusCode: string;
    readonly SelectionPattern?: string;
    readonly ResponseParameters?: Readonly<Record<string, string>>;
    readonly ResponseTemplates?: Readonly<Record<string, string>>;
  }[];
}

/** A reply of the gateway itself, in the form of the template. */
export interface GatewayResponse {
  readonly ResponseType: string;
  readonly StatusCode?: string;
  readonly ResponseTemplates?: Readonly<Record<string, string>>;
  readonly ResponseParameters?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: string;
  readonly resourceId: string;
  /** The path in the template: `/users/{id}`. */
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

/** The URL of an API on AWS, as templates write it. */
export function toAwsUrl({ id, stage }: RestApi, { region }: Account): string {
  return `https://${id}.execute-api.${region}.amazonaws.com/${stage}`;
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

interface StageProperties {
  readonly RestApiId: string;
  readonly StageName: string;
  readonly Variables?: Readonly<Record<string, string>>;
}

/** Reads every API of the template with its routes. */
export function readRestApis(resources: Resources): RestApi[] {
  return resources.ofType('AWS::ApiGateway::RestApi').map((api) => readRestApi(api, resources));
}

function readRestApi(api: Resource, resources: Resources): RestApi {
  const { Name, BinaryMediaTypes } = api.properties<{ Name?: string; BinaryMediaTypes?: string[] }>();
  const [stage] = findParts<StageProperties>(resources, 'Stage', api.ref);
  const paths = buildPaths(api, resources);
  const responses = findParts<GatewayResponse & { RestApiId: string }>(resources, 'GatewayResponse', api.ref);
  return {
    id: api.ref,
    name: Name ?? api.logicalId,
    stage: stage?.properties.StageName ?? 'local',
    stageVariables: stage?.properties.Variables ?? null,
    binaryMediaTypes: BinaryMediaTypes ?? [],
    routes: findParts<MethodProperties>(resources, 'Method', api.ref).map(({ resource, properties }) =>
      readRoute(resource, properties, paths),
    ),
    responses: new Map(responses.map(({ properties }) => [properties.ResponseType, properties])),
  };
}

/** Finds the resources of one type that belong to an API. */
function findParts<Properties extends { readonly RestApiId: string }>(resources: Resources, type: string, id: string) {
  return resources
    .ofType(`AWS::ApiGateway::${type}`)
    .map((resource) => ({ resource, properties: resource.properties<Properties>() }))
    .filter(({ properties }) => properties.RestApiId === id);
}

/** Returns the path of each resource of an API. The keys are the ids of the resources. */
function buildPaths(api: Resource, resources: Resources): Map<string, string> {
  const parts = new Map(
    findParts<ResourceProperties>(resources, 'Resource', api.ref).map(({ resource, properties }) => [
      resource.ref,
      properties,
    ]),
  );
  const root = api.attribute('RootResourceId');
  const pathOf = (id: string): string => {
    const part = parts.get(id);
    return part === undefined || id === root ? '' : `${pathOf(part.ParentId)}/${part.PathPart}`;
  };
  return new Map([[root, '/'], ...[...parts.keys()].map((id): [string, string] => [id, pathOf(id)])]);
}

const integrationTypes = ['AWS_PROXY', 'MOCK'];

function readRoute(method: Resource, properties: MethodProperties, paths: ReadonlyMap<string, string>): Route {
  const { HttpMethod, ResourceId, Integration, AuthorizationType = 'NONE', ApiKeyRequired } = properties;
  if (!integrationTypes.includes(Integration.Type) || AuthorizationType !== 'NONE' || ApiKeyRequired) {
    throw new Error(
      `${method.logicalId}: the local platform runs only methods without authorization that a function or a mock answers`,
    );
  }
  const resourcePath = paths.get(ResourceId);
  if (resourcePath === undefined) throw new Error(`${method.logicalId} belongs to no resource of its API`);
  return { method: HttpMethod, resourceId: ResourceId, resourcePath, integration: Integration };
}

/** Removes the words with which all names of the APIs begin: `rewards-local-base` → `base`. */
export function toHostNames(names: readonly string[]): string[] {
  const words = names.map((name) => name.split('-'));
  const shortest = Math.min(...words.map(({ length }) => length));
  let common = 0;
  const [first = []] = words;
  while (common < Math.min(first.length, shortest) - 1 && words.every((name) => name[common] === first[common])) {
    common += 1;
  }
  return words.map((name) => name.slice(common).join('-'));
}

/** Whether the API transports bodies of a media type as base64. */
export function isBinary(mediaType: string | undefined, { binaryMediaTypes }: RestApi): boolean {
  const [type, subtype] = mediaType?.split(';')[0]?.trim().toLowerCase().split('/') ?? [];
  return binaryMediaTypes.some((pattern) => {
    const [wantedType, wantedSubtype] = pattern.split('/');
    const matchesType = wantedType === '*' || wantedType === type;
    return Boolean(type) && matchesType && (wantedSubtype === '*' || wantedSubtype === subtype);
  });
}
