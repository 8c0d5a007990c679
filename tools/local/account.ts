/** The account and region that the platform on one machine pretends to be. */
export interface Account {
  readonly id: string;
  readonly region: string;
  readonly partition: string;
}

/** fauxqs knows one account only, so everything else lives in the same one. */
export const localAccount: Account = { id: '000000000000', region: 'us-east-1', partition: 'aws' };

/** The ARN of something of this account. */
export function arnOf(account: Account, service: string, resource: string): string {
  return `arn:${account.partition}:${service}:${account.region}:${account.id}:${resource}`;
}

/** The part of an ARN after the account: `table/x`, `function:x`, a queue's name. */
export function arnResource(arn: string): string {
  return arn.split(':').slice(5).join(':');
}
