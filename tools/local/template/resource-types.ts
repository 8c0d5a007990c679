/** The resource types that the local platform emulates. */
const handledTypes: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::CloudFront::Distribution',
  'AWS::CloudFront::Function',
  'AWS::CloudFront::ResponseHeadersPolicy',
  'AWS::Cognito::UserPool',
  'AWS::Cognito::UserPoolClient',
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::S3::Bucket',
  'AWS::SQS::Queue',
  'AWS::SSM::Parameter',
  'AWS::Scheduler::Schedule',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::SecretsManager::Secret',
  'Custom::CDKBucketDeployment',
]);

/** The resource types that need no emulation, with the reason. */
const ignoredTypes: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Account': 'API Gateway has no CloudWatch to write to',
  'AWS::ApiGateway::BasePathMapping': 'each API has a port instead of a domain name',
  'AWS::ApiGateway::Deployment': 'the routes are read from the resources and methods themselves',
  'AWS::ApiGateway::DomainName': 'each API has a port instead of a domain name',
  'AWS::Budgets::Budget': 'nothing costs money',
  'AWS::CDK::Metadata': 'it only reports to AWS which constructs were used',
  'AWS::CertificateManager::Certificate': 'the listeners use plain HTTP on the loopback interface',
  'AWS::CloudFront::OriginAccessControl': 'every caller on this machine may read the buckets',
  'AWS::CloudWatch::Alarm': 'there are no metrics; the logs are in the state folder',
  'AWS::CloudWatch::CompositeAlarm': 'there are no metrics; the logs are in the state folder',
  'AWS::CloudWatch::Dashboard': 'there are no metrics',
  'AWS::CodeDeploy::Application': 'code changes at the next start, all at once',
  'AWS::CodeDeploy::DeploymentGroup': 'code changes at the next start, all at once',
  'AWS::Cognito::ManagedLoginBranding': 'the page of the local user pool has its own look',
  'AWS::Cognito::UserPoolDomain': 'the user pool has a port instead of a domain name',
  'AWS::Events::Archive': 'events are not archived; publish them again instead of replaying them',
  'AWS::Events::EventBusPolicy': 'every caller on this machine may publish',
  'AWS::IAM::ManagedPolicy': 'only the DynamoDB statements of inline policies can be enforced here',
  'AWS::KMS::Alias': 'nothing is encrypted at rest',
  'AWS::KMS::Key': 'nothing is encrypted at rest',
  'AWS::Lambda::Alias': 'each function has only the version that was just built',
  'AWS::Lambda::LayerVersion': 'only functions that are not started here have layers',
  'AWS::Lambda::Permission': 'gateway, rules and schedules may invoke every function',
  'AWS::Lambda::Version': 'each function has only the version that was just built',
  'AWS::Logs::Delivery': 'requests to a site are not logged',
  'AWS::Logs::DeliveryDestination': 'requests to a site are not logged',
  'AWS::Logs::DeliverySource': 'requests to a site are not logged',
  'AWS::Logs::LogGroup': 'each function logs to its own file in the state folder',
  'AWS::Logs::MetricFilter': 'there are no metrics',
  'AWS::Logs::QueryDefinition': 'the logs are files',
  'AWS::Logs::ResourcePolicy': 'the logs are files',
  'AWS::Route53::RecordSet': 'each API has a port instead of a domain name',
  'AWS::S3::BucketPolicy': 'every caller on this machine may read and write',
  'AWS::SNS::Subscription': 'only alarms publish to topics, and there are no alarms',
  'AWS::SNS::Topic': 'only alarms publish to topics, and there are no alarms',
  'AWS::SNS::TopicPolicy': 'only alarms publish to topics, and there are no alarms',
  'AWS::SQS::QueuePolicy': 'every caller on this machine may send and receive',
  'AWS::WAFv2::LoggingConfiguration': 'there is no firewall: requests are not counted or refused',
  'AWS::WAFv2::WebACL': 'there is no firewall: requests are not counted or refused',
  'AWS::WAFv2::WebACLAssociation': 'there is no firewall: requests are not counted or refused',
  'Custom::S3AutoDeleteObjects': 'objects are in memory, or stay with --persist',
};

/**
 * Refuses a template with a resource that would silently be missing.
 * @throws Error with the type and the logical id of each unknown resource
 */
export function requireKnownTypes(resources: readonly { readonly type: string; readonly logicalId: string }[]): void {
  const unknown = resources.filter(({ type }) => !handledTypes.has(type) && ignoredTypes[type] === undefined);
  if (unknown.length === 0) return;
  const names = unknown.map(({ type, logicalId }) => `${type} (${logicalId})`).join(', ');
  throw new Error(
    `the local platform does not know ${names}: emulate it, or add the reason to ignore it in resource-types.ts`,
  );
}
