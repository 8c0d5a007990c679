import { createHash } from 'node:crypto';
import { type Account, buildArn } from '../account.ts';

/** The values of `Ref` and `Fn::GetAtt` for one resource. */
export interface Identity {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What the identity of a resource is built from. */
export interface IdentityInput {
  readonly account: Account;
  readonly stack: string;
  readonly logicalId: string;
  /** Returns the name in the template, or a name built from stack and logical id. */
  readonly name: (property: string) => string;
  /** Returns a property of the template with its intrinsic functions evaluated. */
  readonly property: (name: string) => string;
  /** A queue's Ref is its URL, which begins with this endpoint. */
  readonly sqsEndpoint: string;
}

/** Builds a short id in the form of API Gateway's ids. The same seed gives the same id. */
export function buildShortId(seed: string): string {
  const digest = createHash('sha256').update(seed).digest('hex');
  return BigInt(`0x${digest.slice(0, 16)}`)
    .toString(36)
    .padStart(10, '0')
    .slice(-10);
}

function buildUuid(seed: string): string {
  const digest = createHash('sha256').update(seed).digest('hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

type Identify = (input: IdentityInput) => Identity;

function identifyNamed(property: string, service: string, resource: (name: string) => string): Identify {
  return ({ account, name }) => {
    const physicalName = name(property);
    return {
      ref: physicalName,
      attributes: { Arn: buildArn(account, service, resource(physicalName)), Name: physicalName },
    };
  };
}

function identifyTable({ account, name }: IdentityInput): Identity {
  const given = name('TableName');
  const arn = buildArn(account, 'dynamodb', `table/${given}`);
  return { ref: given, attributes: { Arn: arn, StreamArn: `${arn}/stream/local`, TableId: buildUuid(arn) } };
}

function identifyQueue({ account, name, property, sqsEndpoint }: IdentityInput): Identity {
  const fifo = property('FifoQueue') === 'true' ? '.fifo' : '';
  const given = name('QueueName');
  const queueName = given.endsWith(fifo) ? given : `${given}${fifo}`;
  const url = `${sqsEndpoint}/${account.id}/${queueName}`;
  return { ref: url, attributes: { Arn: buildArn(account, 'sqs', queueName), QueueName: queueName, QueueUrl: url } };
}

function identifyTopic({ account, name }: IdentityInput): Identity {
  const arn = buildArn(account, 'sns', name('TopicName'));
  return { ref: arn, attributes: { TopicArn: arn, TopicName: name('TopicName') } };
}

function identifyKey({ account, stack, logicalId }: IdentityInput): Identity {
  const id = buildUuid(`${stack}.${logicalId}`);
  return { ref: id, attributes: { Arn: buildArn(account, 'kms', `key/${id}`), KeyId: id } };
}

function identifyByShortId({ stack, logicalId }: IdentityInput): Identity {
  const id = buildShortId(`${stack}.${logicalId}`);
  return {
    ref: id,
    attributes: { RootResourceId: buildShortId(`${stack}.${logicalId}.root`), RestApiId: id, DeploymentId: id },
  };
}

/** Each function has only the version that was just built, so its versions and aliases identify the function itself. */
function identifyVersion({ account, property }: IdentityInput): Identity {
  const arn = buildArn(account, 'lambda', `function:${property('FunctionName')}`);
  return { ref: arn, attributes: { Version: '1', FunctionArn: arn, AliasArn: arn } };
}

function identifyBucket({ account, name }: IdentityInput): Identity {
  // A bucket's name has small letters only, and every account shares the names of buckets.
  const bucket = name('BucketName').toLowerCase();
  const domain = `${bucket}.s3.${account.region}.amazonaws.com`;
  const arn = `arn:${account.partition}:s3:::${bucket}`;
  return { ref: bucket, attributes: { Arn: arn, DomainName: domain, RegionalDomainName: domain } };
}

function identifyDistribution({ stack, logicalId }: IdentityInput): Identity {
  const id = buildShortId(`${stack}.${logicalId}`);
  return { ref: id.toUpperCase(), attributes: { Id: id.toUpperCase(), DomainName: `d${id}.cloudfront.net` } };
}

function identifyViewerFunction({ account, name }: IdentityInput): Identity {
  const arn = `arn:${account.partition}:cloudfront::${account.id}:function/${name('Name')}`;
  return { ref: arn, attributes: { FunctionARN: arn, 'FunctionMetadata.FunctionARN': arn, Stage: 'LIVE' } };
}

function identifyUserPool({ account, stack, logicalId }: IdentityInput): Identity {
  const id = `${account.region}_${buildShortId(`${stack}.${logicalId}`).slice(0, 9)}`;
  const provider = `cognito-idp.${account.region}.amazonaws.com/${id}`;
  return {
    ref: id,
    attributes: {
      Arn: buildArn(account, 'cognito-idp', `userpool/${id}`),
      ...{ UserPoolId: id, ProviderName: provider, ProviderURL: `https://${provider}` },
    },
  };
}

function identifyPoolClient({ stack, logicalId }: IdentityInput): Identity {
  const id = buildShortId(`${stack}.${logicalId}`) + buildShortId(`${logicalId}.${stack}`);
  return { ref: id, attributes: { ClientId: id } };
}

const identifiers: Readonly<Record<string, Identify>> = {
  'AWS::DynamoDB::GlobalTable': identifyTable,
  'AWS::DynamoDB::Table': identifyTable,
  'AWS::SQS::Queue': identifyQueue,
  'AWS::SNS::Topic': identifyTopic,
  'AWS::KMS::Key': identifyKey,
  'AWS::S3::Bucket': identifyBucket,
  'AWS::CloudFront::Distribution': identifyDistribution,
  'AWS::CloudFront::Function': identifyViewerFunction,
  'AWS::Cognito::UserPool': identifyUserPool,
  'AWS::Cognito::UserPoolClient': identifyPoolClient,
  'AWS::Lambda::Function': identifyNamed('FunctionName', 'lambda', (name) => `function:${name}`),
  'AWS::Lambda::Version': identifyVersion,
  'AWS::Lambda::Alias': identifyVersion,
  'AWS::Events::EventBus': identifyNamed('Name', 'events', (name) => `event-bus/${name}`),
  'AWS::Events::Rule': identifyNamed('Name', 'events', (name) => `rule/${name}`),
  'AWS::Events::Archive': identifyNamed('ArchiveName', 'events', (name) => `archive/${name}`),
  'AWS::Scheduler::Schedule': identifyNamed('Name', 'scheduler', (name) => `schedule/default/${name}`),
  'AWS::Scheduler::ScheduleGroup': identifyNamed('Name', 'scheduler', (name) => `schedule-group/${name}`),
  'AWS::IAM::Role': identifyNamed('RoleName', 'iam', (name) => `role/${name}`),
  'AWS::Logs::LogGroup': identifyNamed('LogGroupName', 'logs', (name) => `log-group:${name}:*`),
  'AWS::ApiGateway::RestApi': identifyByShortId,
  'AWS::ApiGateway::Resource': identifyByShortId,
  'AWS::ApiGateway::Deployment': identifyByShortId,
  'AWS::ApiGateway::Stage': ({ property }) => ({ ref: property('StageName'), attributes: {} }),
};

/** Builds the physical id and the attributes of a resource. They are the same at every start. */
export function identify(type: string, input: IdentityInput): Identity {
  const identifyType = identifiers[type];
  if (identifyType) return identifyType(input);
  const service = type.split('::')[1]?.toLowerCase() ?? 'unknown';
  const ref = `${input.stack}-${input.logicalId}`;
  return { ref, attributes: { Arn: buildArn(input.account, service, ref), Id: buildUuid(ref), Name: ref } };
}
