import { MockIntegration, PassthroughBehavior, type RestApi } from 'aws-cdk-lib/aws-apigateway';

const notFound = { error: 'not_found', message: 'There is no such endpoint.', request_id: '$context.requestId' };

/**
 * Makes a host that has no contract yet deployable: API Gateway refuses an API without a method.
 * Its root answers as every unknown route does, so nobody can come to rely on it.
 */
export function addNoEndpointYet(api: RestApi): void {
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: { 'application/json': '{"statusCode": 404}' },
    integrationResponses: [{ statusCode: '404', responseTemplates: { 'application/json': JSON.stringify(notFound) } }],
  });
  api.root.addMethod('GET', integration, { methodResponses: [{ statusCode: '404' }] });
}
