import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export const stageNames = ['local', 'sandbox', 'production'] as const;
export type StageName = (typeof stageNames)[number];

/** A platform that commands work on. */
export interface Stage {
  readonly name: StageName;
  readonly tableName: string;
  readonly documents: DynamoDBDocumentClient;
  /** Who works on it, as far as that is proven. */
  readonly operator: () => Promise<string>;
  readonly close: () => void;
}
