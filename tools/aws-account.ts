import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { CommandError, messageOf } from './command.ts';

/**
 * Finds the AWS account of the credentials in the environment.
 *
 * @throws CommandError when there are no credentials, or AWS does not accept them
 */
export async function findAccount(region: string): Promise<string> {
  const { AWS_PROFILE: profile } = process.env;
  const whose = profile ? `the profile ${profile} (AWS_PROFILE)` : 'this environment';
  const client = new STSClient({ region });
  try {
    const { Account: account } = await client.send(new GetCallerIdentityCommand({}));
    if (account !== undefined) return account;
    throw new CommandError(`AWS names no account for the credentials of ${whose}`);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `AWS accepts no credentials of ${whose} (${messageOf(error)}): ` +
        'log in, for example with aws sso login, or name another profile in AWS_PROFILE',
    );
  } finally {
    client.destroy();
  }
}
