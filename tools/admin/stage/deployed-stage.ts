import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { openDocuments } from '../../../shared/runtime/runtime.ts';
import { OperatorError } from '../cli/errors.ts';
import type { Stage, StageName } from './stage.ts';

/**
 * A stage on AWS, reached with the operator's own credentials as every AWS tool finds them.
 *
 * @throws OperatorError when it is not deployed there
 */
export async function openDeployedStage(name: StageName, region: string | undefined): Promise<Stage> {
  const where = region === undefined ? {} : { region };
  const tableName = await tableNameOf(name, new CloudFormationClient(where));
  const client = new DynamoDBClient(where);
  return {
    name,
    tableName,
    documents: openDocuments(client),
    operator: () => callerOf(new STSClient(where)),
    close: () => client.destroy(),
  };
}

/** The stack that keeps state names its table as an output. */
async function tableNameOf(stage: StageName, client: CloudFormationClient): Promise<string> {
  const stack = `rewards-${stage}-data`;
  try {
    const { Stacks: [found] = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    const output = found?.Outputs?.find(({ OutputKey }) => OutputKey === 'TableName')?.OutputValue;
    if (output === undefined) throw new OperatorError(`the stack ${stack} has no output TableName`);
    return output;
  } catch (error) {
    throw await inWords(error, { stack, client });
  } finally {
    client.destroy();
  }
}

async function inWords(
  error: unknown,
  { stack, client }: { readonly stack: string; readonly client: CloudFormationClient },
): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  if (error.message.includes('Region is missing')) {
    return new OperatorError('no AWS region is set; give --region, or set AWS_REGION');
  }
  if (error.name !== 'ValidationError' || !error.message.includes('does not exist')) return error;
  const region = await client.config.region();
  return new OperatorError(
    `there is no stack ${stack} in ${region} for these credentials; ` +
      'give the region with --region, or deploy the stage first',
  );
}

async function callerOf(client: STSClient): Promise<string> {
  const { Arn } = await client.send(new GetCallerIdentityCommand({}));
  client.destroy();
  return Arn ?? 'unknown';
}
