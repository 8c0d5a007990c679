/** A part of a template whose structure does not matter here. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = { readonly [name: string]: Json };

export interface Resource {
  readonly Type: string;
  readonly Properties?: JsonObject;
  readonly DependsOn?: string | readonly string[];
  readonly UpdatePolicy?: JsonObject;
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
}

/** Types of resources that ministack cannot make. No flow test depends on them. */
export const missingTypes: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::BasePathMappingV2',
  'AWS::Budgets::Budget',
  'AWS::CloudTrail::Trail',
  'AWS::Cognito::ManagedLoginBranding',
  // Some alarms have several metrics, which ministack does not support.
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::Events::Archive',
  'AWS::Logs::Delivery',
  'AWS::Logs::DeliveryDestination',
  'AWS::Logs::DeliverySource',
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACLAssociation',
  // The function that copies the dashboard into its bucket calls the AWS CLI of a layer, which ministack does not unpack.
  'Custom::CDKBucketDeployment',
  // Its function needs the SDK that Lambda's runtime brings, which ministack lacks.
  'Custom::S3AutoDeleteObjects',
]);

/**
 * For a batch call of SQS, AWS requires the permission for the single action; ministack requires a permission with the
 * name of the batch call.
 */
const batchActions: Readonly<Record<string, string>> = {
  'sqs:SendMessage': 'sqs:SendMessageBatch',
  'sqs:DeleteMessage': 'sqs:DeleteMessageBatch',
  'sqs:ChangeMessageVisibility': 'sqs:ChangeMessageVisibilityBatch',
};

/** The template's three minutes would delay every message that failed once, and the tests that wait for it. */
const visibilityTimeoutSeconds = 10;

/** What a template is adapted to. */
export interface Surroundings {
  /** The public URL of the host that the stack makes, if it makes one. */
  readonly hostUrl?: string | undefined;
  /** Hosts to which webhooks may use plain http. */
  readonly webhookHttpHosts: string;
}

/**
 * Returns the template without the resources that ministack cannot make, and with permissions under the names that
 * ministack checks.
 */
export function adaptTemplate(template: Template, surroundings: Surroundings): Template {
  const kept = Object.entries(template.Resources).filter(([, { Type }]) => !missingTypes.has(Type));
  const names = new Set(kept.map(([name]) => name));
  return {
    ...template,
    Resources: Object.fromEntries(
      kept.map(([name, resource]) => [name, adaptResource(resource, { ...surroundings, names })]),
    ),
  };
}

function adaptResource(
  { DependsOn, UpdatePolicy: _, Properties, ...rest }: Resource,
  surroundings: Surroundings & { readonly names: ReadonlySet<string> },
): Resource {
  const needed = [DependsOn ?? []].flat().filter((name) => surroundings.names.has(name));
  return {
    ...rest,
    ...(needed.length > 0 && { DependsOn: needed }),
    ...(Properties && { Properties: adaptProperties(rest.Type, Properties, surroundings) }),
  };
}

function adaptProperties(type: string, properties: JsonObject, surroundings: Surroundings): JsonObject {
  if (type === 'AWS::Lambda::Function') return adaptFunction(properties, surroundings);
  if (type === 'AWS::SQS::Queue' && 'VisibilityTimeout' in properties) {
    return { ...properties, VisibilityTimeout: visibilityTimeoutSeconds };
  }
  if (type === 'AWS::IAM::Role') return mapObjects(properties, adaptStatement);
  if (type === 'AWS::SSM::Parameter') return mapObjects(properties, adaptIssuer);
  return properties;
}

/** Builds the issuer of a user pool from its id, because pools of ministack have no attribute for it. */
function adaptIssuer(object: JsonObject): JsonObject {
  const { 'Fn::GetAtt': attribute } = object;
  if (!Array.isArray(attribute) || attribute[1] !== 'ProviderURL') return object;
  return {
    'Fn::Join': ['', ['https://cognito-idp.', { Ref: 'AWS::Region' }, '.amazonaws.com/', { Ref: attribute[0] }]],
  };
}

function adaptFunction(properties: JsonObject, { hostUrl, webhookHttpHosts }: Surroundings): JsonObject {
  return mapObjects(properties, (object) => ({
    ...object,
    ...('BASE_URL' in object && hostUrl !== undefined && { BASE_URL: hostUrl }),
    ...('WEBHOOK_HTTP_HOSTS' in object && { WEBHOOK_HTTP_HOSTS: webhookHttpHosts }),
  }));
}

/** Adapts a statement of a policy; returns any other object as it is. */
function adaptStatement({ Condition, ...object }: JsonObject): JsonObject {
  const condition = Condition === undefined ? {} : { Condition };
  if (object.Effect !== 'Allow' || object.Action === undefined) return { ...object, ...condition };
  const actions = [object.Action].flat().filter((action) => typeof action === 'string');
  const batches = actions.flatMap((action) => batchActions[action] ?? []);
  const Action = batches.length > 0 ? [...actions, ...batches] : object.Action;
  const isForSchedules = actions.some((action) => action.startsWith('scheduler:'));
  // For a schedule of any group, ministack checks the permission for the group `default`.
  const Resource = isForSchedules ? 'arn:aws:scheduler:*:*:schedule/*' : object.Resource;
  // The key `events:source` is unknown to ministack, so a condition on it never holds there.
  const isForEvents = actions.includes('events:PutEvents');
  return { ...object, Action, ...(Resource !== undefined && { Resource }), ...(isForEvents ? {} : condition) };
}

/** Applies a change to each object, from the inside to the outside. */
function mapObjects(object: JsonObject, change: (object: JsonObject) => JsonObject): JsonObject {
  const inside = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(inside);
    return isObject(value) ? mapObjects(value, change) : value;
  };
  return change(Object.fromEntries(Object.entries(object).map(([name, value]) => [name, inside(value)])));
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
