import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';

/** One JSON line a request. No header and no query string: keys and tokens travel there. */
export const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    request_id: AccessLogField.contextRequestId(),
    trace_id: AccessLogField.contextXrayTraceId(),
    time: AccessLogField.contextRequestTimeEpoch(),
    ip: AccessLogField.contextIdentitySourceIp(),
    user_agent: AccessLogField.contextIdentityUserAgent(),
    method: AccessLogField.contextHttpMethod(),
    // The route, not the path: the path may hold a token of the connect flow.
    route: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    latency_ms: AccessLogField.contextResponseLatency(),
    integration_latency_ms: AccessLogField.contextIntegrationLatency(),
    integration_error: AccessLogField.contextIntegrationErrorMessage(),
    gateway_error: AccessLogField.contextErrorResponseType(),
    waf_status: AccessLogField.contextWafResponseCode(),
    response_bytes: AccessLogField.contextResponseLength(),
  }),
);
