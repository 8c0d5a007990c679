import {
  type CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  ListStackResourcesCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import {
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  ScanCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { DeployedStack, Stacks } from './failed-stacks.ts';
import type { Template } from './quota-needs.ts';

/** The deployed stacks of an account and region. */
export class DeployedStacks implements Stacks {
  readonly #cloudFormation: CloudFormationClient;
  readonly #dynamodb: DynamoDBClient;

  constructor(cloudFormation: CloudFormationClient, dynamodb: DynamoDBClient) {
    this.#cloudFormation = cloudFormation;
    this.#dynamodb = dynamodb;
  }

  async find(name: string): Promise<DeployedStack | undefined> {
    try {
      const { Stacks: [found] = [] } = await this.#cloudFormation.send(new DescribeStacksCommand({ StackName: name }));
      if (found?.StackStatus === undefined) return undefined;
      return { name, status: found.StackStatus, isProtected: found.EnableTerminationProtection === true };
    } catch (error) {
      // CloudFormation has no specific error for a stack that does not exist.
      if (error instanceof Error && error.message.includes('does not exist')) return undefined;
      throw error;
    }
  }

  /** The template of a stack; undefined when there is no such stack, or it may not be read. */
  async templateOf(name: string): Promise<Template | undefined> {
    try {
      const { TemplateBody: body } = await this.#cloudFormation.send(new GetTemplateCommand({ StackName: name }));
      return body === undefined ? undefined : JSON.parse(body);
    } catch {
      return undefined;
    }
  }

  async unprotect(name: string): Promise<void> {
    await this.#cloudFormation.send(
      new UpdateTerminationProtectionCommand({ StackName: name, EnableTerminationProtection: false }),
    );
  }

  async tablesOf(name: string): Promise<readonly string[]> {
    const { StackResourceSummaries: resources = [] } = await this.#cloudFormation.send(
      new ListStackResourcesCommand({ StackName: name }),
    );
    const made = resources.flatMap(({ ResourceType, PhysicalResourceId }) =>
      ResourceType === 'AWS::DynamoDB::GlobalTable' && PhysicalResourceId !== undefined ? [PhysicalResourceId] : [],
    );
    const existing = await Promise.all(made.map((table) => this.#exists(table)));
    return made.filter((_, position) => existing[position]);
  }

  async isEmpty(table: string): Promise<boolean> {
    const { Count: count } = await this.#dynamodb.send(
      new ScanCommand({ TableName: table, Limit: 1, ConsistentRead: true }),
    );
    return count === 0;
  }

  async unprotectTable(table: string): Promise<void> {
    await this.#dynamodb.send(new UpdateTableCommand({ TableName: table, DeletionProtectionEnabled: false }));
  }

  async #exists(table: string): Promise<boolean> {
    try {
      await this.#dynamodb.send(new DescribeTableCommand({ TableName: table }));
      return true;
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return false;
      throw error;
    }
  }
}
