/** The AWS account and region that the local platform emulates. */
export interface Account {
  readonly id: string;
  readonly region: string;
  readonly partition: string;
}

/** fauxqs supports this account only, so the other services use it too. */
export const localAccount: Account = { id: '000000000000', region: 'us-east-1', partition: 'aws' };

/** Builds the ARN of a resource of the account. */
export function buildArn(account: Account, service: string, resource: string): string {
  return `arn:${account.partition}:${service}:${account.region}:${account.id}:${resource}`;
}

/** Returns the part of an ARN after the account: `table/x`, `function:x`, a queue's name. */
export function resourceOf(arn: string): string {
  return arn.split(':').slice(5).join(':');
}
