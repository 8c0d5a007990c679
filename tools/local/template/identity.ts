import { createHash } from 'node:crypto';
import { type Account, arnOf } from '../account.ts';

/** What `Ref` and `Fn::GetAtt` give for one resource. */
export interface Identity {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What an identity is made of. */
export interface Subject {
  readonly account: Account;
  readonly stack: string;
  readonly logicalId: string;
  /** The name that the template gives, or one made of stack and logical id. */
  readonly name: (property: string) => string;
  /** Any other property, evaluated. */
  readonly property: (name: string) => string;
  /** Where SQS answers; a queue's Ref is its URL. */
  readonly sqsEndpoint: string;
}

/** A short id as API Gateway makes them, the same at every start. */
export function shortId(seed: string): string {
  const digest = createHash('sha256').update(seed).digest('hex');
  return BigInt(`0x${digest.slice(0, 16)}`)
    .toString(36)
    .padStart(10, '0')
    .slice(-10);
}

function uuid(seed: string): string {
  const digest = createHash('sha256').update(seed).digest('hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

type Identify = (subject: Subject) => Identity;

function named(property: string, service: string, resource: (name: string) => string): Identify {
  return ({ account, name }) => {
    const given = name(property);
    return { ref: given, attributes: { Arn: arnOf(account, service, resource(given)), Name: given } };
  };
}

function table({ account, name }: Subject): Identity {
  const given = name('TableName');
  const arn = arnOf(account, 'dynamodb', `table/${given}`);
  return { ref: given, attributes: { Arn: arn, StreamArn: `${arn}/stream/local`, TableId: uuid(arn) } };
}

function queue({ account, name, property, sqsEndpoint }: Subject): Identity {
  const fifo = property('FifoQueue') === 'true' ? '.fifo' : '';
  const given = name('QueueName');
  const queueName = given.endsWith(fifo) ? given : `${given}${fifo}`;
  const url = `${sqsEndpoint}/${account.id}/${queueName}`;
  return { ref: url, attributes: { Arn: arnOf(account, 'sqs', queueName), QueueName: queueName, QueueUrl: url } };
}

function topic({ account, name }: Subject): Identity {
  const arn = arnOf(account, 'sns', name('TopicName'));
  return { ref: arn, attributes: { TopicArn: arn, TopicName: name('TopicName') } };
}

function key({ account, stack, logicalId }: Subject): Identity {
  const id = uuid(`${stack}.${logicalId}`);
  return { ref: id, attributes: { Arn: arnOf(account, 'kms', `key/${id}`), KeyId: id } };
}

function shortIdentity({ stack, logicalId }: Subject): Identity {
  const id = shortId(`${stack}.${logicalId}`);
  return {
    ref: id,
    attributes: { RootResourceId: shortId(`${stack}.${logicalId}.root`), RestApiId: id, DeploymentId: id },
  };
}

function version({ property }: Subject): Identity {
  const arn = `${property('FunctionName')}:1`;
  return { ref: arn, attributes: { Version: '1', FunctionArn: arn } };
}

function alias({ property }: Subject): Identity {
  return { ref: `${property('FunctionName')}:${property('Name')}`, attributes: { AliasArn: property('FunctionName') } };
}

const identities: Record<string, Identify> = {
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::DynamoDB::Table': table,
  'AWS::SQS::Queue': queue,
  'AWS::SNS::Topic': topic,
  'AWS::KMS::Key': key,
  'AWS::Lambda::Function': named('FunctionName', 'lambda', (name) => `function:${name}`),
  'AWS::Lambda::Version': version,
  'AWS::Lambda::Alias': alias,
  'AWS::Events::EventBus': named('Name', 'events', (name) => `event-bus/${name}`),
  'AWS::Events::Rule': named('Name', 'events', (name) => `rule/${name}`),
  'AWS::Events::Archive': named('ArchiveName', 'events', (name) => `archive/${name}`),
  'AWS::Scheduler::Schedule': named('Name', 'scheduler', (name) => `schedule/default/${name}`),
  'AWS::Scheduler::ScheduleGroup': named('Name', 'scheduler', (name) => `schedule-group/${name}`),
  'AWS::IAM::Role': named('RoleName', 'iam', (name) => `role/${name}`),
  'AWS::Logs::LogGroup': named('LogGroupName', 'logs', (name) => `log-group:${name}:*`),
  'AWS::ApiGateway::RestApi': shortIdentity,
  'AWS::ApiGateway::Resource': shortIdentity,
  'AWS::ApiGateway::Deployment': shortIdentity,
  'AWS::ApiGateway::Stage': ({ property }) => ({ ref: property('StageName'), attributes: {} }),
};

/** The physical id and attributes of a resource, invented but the same at every start. */
export function identify(type: string, subject: Subject): Identity {
  const identity = identities[type];
  if (identity) return identity(subject);
  const service = type.split('::')[1]?.toLowerCase() ?? 'unknown';
  const ref = `${subject.stack}-${subject.logicalId}`;
  return { ref, attributes: { Arn: arnOf(subject.account, service, ref), Id: uuid(ref), Name: ref } };
}
