/** A small platform in two stacks, written by hand. It contains every feature that the local platform must read. */

interface FunctionOptions {
  readonly timeoutSeconds?: number;
  readonly environment?: object;
}

const exported = (stack: string, name: string): object => ({ 'Fn::ImportValue': `${stack}:${name}` });
const arnOf = (logicalId: string): object => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });

const ofStack = (name: string): string => `\${AWS::StackName}:${name}`;

const stringKey = (name: string, KeyType: string): object => ({ AttributeName: name, KeyType });

/** The stack of the table, the bus and the key. */
export function dataStack(stack: string): object {
  const attributes = ['pk', 'sk', 'ownerPk', 'ownerSk'];
  return {
    Resources: {
      Table: {
        Type: 'AWS::DynamoDB::GlobalTable',
        Properties: {
          AttributeDefinitions: attributes.map((name) => ({ AttributeName: name, AttributeType: 'S' })),
          KeySchema: [stringKey('pk', 'HASH'), stringKey('sk', 'RANGE')],
          BillingMode: 'PAY_PER_REQUEST',
          GlobalSecondaryIndexes: [
            {
              IndexName: 'byOwner',
              KeySchema: [stringKey('ownerPk', 'HASH'), stringKey('ownerSk', 'RANGE')],
              Projection: { ProjectionType: 'ALL' },
            },
          ],
          StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
          TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
          Replicas: [{ Region: { Ref: 'AWS::Region' }, DeletionProtectionEnabled: false }],
        },
      },
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: `${stack}-bus` } },
      Key: { Type: 'AWS::KMS::Key', Properties: {} },
    },
    Outputs: {
      TableName: { Value: { Ref: 'Table' }, Export: { Name: `${stack}:TableName` } },
      TableArn: { Value: arnOf('Table'), Export: { Name: { 'Fn::Sub': ofStack('TableArn') } } },
      StreamArn: { Value: { 'Fn::GetAtt': ['Table', 'StreamArn'] }, Export: { Name: `${stack}:StreamArn` } },
      BusName: { Value: { Ref: 'Bus' }, Export: { Name: `${stack}:BusName` } },
    },
  };
}

function role(stack: string): object {
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      Policies: [
        {
          PolicyName: 'declared',
          PolicyDocument: {
            Statement: [
              {
                Effect: 'Allow',
                Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
                Resource: exported(stack, 'TableArn'),
                Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USER#*'] } },
              },
              {
                Effect: 'Allow',
                Action: 'dynamodb:Query',
                Resource: { 'Fn::Join': ['', [exported(stack, 'TableArn'), '/index/byOwner']] },
              },
              { Effect: 'Allow', Action: 'logs:PutLogEvents', Resource: '*' },
            ],
          },
        },
      ],
    },
  };
}

function puppet(name: string, { timeoutSeconds = 5, environment = {} }: FunctionOptions = {}): object {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Code: { S3Bucket: { 'Fn::Sub': `assets-\${AWS::AccountId}` }, S3Key: 'puppet.zip' },
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      Timeout: timeoutSeconds,
      MemorySize: 256,
      Role: arnOf('Role'),
      Environment: { Variables: { NAME: name, POWERTOOLS_SERVICE_NAME: name, ...environment } },
    },
  };
}

function queue(deadLetters: string, maxReceiveCount: number): object {
  return {
    Type: 'AWS::SQS::Queue',
    Properties: {
      VisibilityTimeout: 30,
      RedrivePolicy: { deadLetterTargetArn: arnOf(deadLetters), maxReceiveCount },
    },
  };
}

/** The functions, queues, event sources and rules. */
function workers(data: string): Record<string, object> {
  return {
    Role: role(data),
    Endpoint: puppet('Endpoint', { environment: { TABLE_NAME: exported(data, 'TableName') } }),
    Hasty: puppet('Hasty', { timeoutSeconds: 1 }),
    Worker: puppet('Worker', { environment: { QUEUE_URL: { Ref: 'Work' } } }),
    Reader: puppet('Reader'),
    Given: { Type: 'AWS::SQS::Queue' },
    Work: queue('Given', 2),
    WorkSource: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: arnOf('Work'),
        FunctionName: { Ref: 'Worker' },
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        FilterCriteria: { Filters: [{ Pattern: '{"body":{"ignore":[{"exists":false}]}}' }] },
        ScalingConfig: { MaximumConcurrency: 2 },
      },
    },
    Lost: { Type: 'AWS::SQS::Queue' },
    StreamSource: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: exported(data, 'StreamArn'),
        FunctionName: { Ref: 'Reader' },
        BatchSize: 4,
        StartingPosition: 'TRIM_HORIZON',
        BisectBatchOnFunctionError: true,
        MaximumRetryAttempts: 1,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"Keys":{"pk":{"S":[{"prefix":"OUTBOX#"}]}}}}' }] },
        DestinationConfig: { OnFailure: { Destination: arnOf('Lost') } },
      },
    },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        EventBusName: exported(data, 'BusName'),
        EventPattern: { source: ['test'] },
        State: 'ENABLED',
        Targets: [{ Id: 'Target0', Arn: arnOf('Work') }],
      },
    },
  };
}

const proxyTo = (logicalId: string): object => ({
  Type: 'AWS_PROXY',
  IntegrationHttpMethod: 'POST',
  Uri: {
    'Fn::Sub': `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/2015-03-31/functions/\${${logicalId}.Arn}/invocations`,
  },
});

const method = (HttpMethod: string, ResourceId: object, Integration: object): object => ({
  Type: 'AWS::ApiGateway::Method',
  Properties: { HttpMethod, ResourceId, RestApiId: { Ref: 'Api' }, AuthorizationType: 'NONE', Integration },
});

const path = (ParentId: object, PathPart: string): object => ({
  Type: 'AWS::ApiGateway::Resource',
  Properties: { ParentId, PathPart, RestApiId: { Ref: 'Api' } },
});

const response = (ResponseType: string, StatusCode: string, identifier: string): object => ({
  Type: 'AWS::ApiGateway::GatewayResponse',
  Properties: {
    ResponseType,
    StatusCode,
    RestApiId: { Ref: 'Api' },
    ResponseParameters: { 'gatewayresponse.header.x-request-id': 'context.requestId' },
    ResponseTemplates: { 'application/json': `{"error":"${identifier}","request_id":"$context.requestId"}` },
  },
});

/** One host and its routes. */
function host(): Record<string, object> {
  return {
    Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'fixture-base', BinaryMediaTypes: ['image/*'] } },
    Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { RestApiId: { Ref: 'Api' }, StageName: 'local' } },
    Users: path({ 'Fn::GetAtt': ['Api', 'RootResourceId'] }, 'users'),
    User: path({ Ref: 'Users' }, '{id}'),
    Me: path({ Ref: 'Users' }, 'me'),
    Hurry: path({ 'Fn::GetAtt': ['Api', 'RootResourceId'] }, 'hurry'),
    UserGet: method('GET', { Ref: 'User' }, proxyTo('Endpoint')),
    UserPost: method('POST', { Ref: 'User' }, proxyTo('Endpoint')),
    MeGet: method('GET', { Ref: 'Me' }, proxyTo('Endpoint')),
    HurryGet: method('GET', { Ref: 'Hurry' }, proxyTo('Hasty')),
    Unknown: response('MISSING_AUTHENTICATION_TOKEN', '404', 'not_found'),
    TooLarge: response('REQUEST_TOO_LARGE', '413', 'request_too_large'),
    Failure: response('DEFAULT_5XX', '500', 'unexpected_error'),
  };
}

/** The stack of the functions and their host. */
export function workStack(data: string): object {
  return { Resources: { ...workers(data), ...host() } };
}
