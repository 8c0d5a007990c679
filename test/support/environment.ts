/** A table, and the endpoint of its DynamoDB. */
export interface TableAddress {
  readonly name: string;
  readonly endpoint: string;
}

/** Sets environment variables, so that functions use a table. Handlers that are first called afterwards read them. */
export function setEnvironment({ name, endpoint }: TableAddress): void {
  Object.assign(process.env, {
    STAGE: 'local',
    TABLE_NAME: name,
    BASE_URL: 'https://base.rewards.test/local',
    WEBHOOK_HTTP_HOSTS: '127.0.0.1,localhost',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    POWERTOOLS_SERVICE_NAME: 'test',
    POWERTOOLS_METRICS_NAMESPACE: 'test',
    POWERTOOLS_METRICS_DISABLED: 'true',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
}
