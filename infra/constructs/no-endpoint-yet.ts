import { MockIntegration, PassthroughBehavior, type RestApi } from 'aws-cdk-lib/aws-apigateway';

const notFound = { error: 'not_found', message: 'There is no such endpoint.', request_id: '$context.requestId' };
/** Every reply has it. */
const requestId = 'method.response.header.x-request-id';

/**
 * Makes a host that has no contract yet deployable: API Gateway refuses an API without a method.
 * Its root answers as every unknown route does, so nobody can come to rely on it.
 */
export function addNoEndpointYet(api: RestApi): void {
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: { 'application/json': '{"statusCode": 404}' },
    integrationResponses: [
      {
        statusCode: '404',
        responseParameters: { [requestId]: 'context.requestId' },
        responseTemplates: { 'application/json': JSON.stringify(notFound) },
      },
    ],
  });
  const notFoundResponse = { statusCode: '404', responseParameters: { [requestId]: true } };
  api.root.addMethod('GET', integration, { methodResponses: [notFoundResponse] });
}
