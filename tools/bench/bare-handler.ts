import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

/** The handler that bundles are compared with. It contains only the client of DynamoDB and the usual commands. */

const commands = {
  get: GetCommand,
  put: PutCommand,
  query: QueryCommand,
  transact: TransactWriteCommand,
  update: UpdateCommand,
};

interface BareCall {
  readonly command: keyof typeof commands;
  readonly input: never;
}

let documents: DynamoDBDocumentClient | undefined;

/** Makes its client at the first call, as the platform does. So the comparison measures only loading. */
export async function handler({ command, input }: BareCall): Promise<unknown> {
  documents ??= DynamoDBDocumentClient.from(new DynamoDBClient({}));
  return documents.send(new commands[command](input) as GetCommand);
}
