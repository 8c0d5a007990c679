import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

/** What the bundles are compared with: a handler with the table's client and the usual commands, and nothing else. */

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

/** The client is made at the first call, as the platform's is: what is compared is loading alone. */
export async function handler({ command, input }: BareCall): Promise<unknown> {
  documents ??= DynamoDBDocumentClient.from(new DynamoDBClient({}));
  return documents.send(new commands[command](input) as GetCommand);
}
