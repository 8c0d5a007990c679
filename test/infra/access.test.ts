import { describe, expect, it } from 'vitest';
import { partitions } from '../../shared/contracts/table.ts';
import { Person } from '../../shared/store/person/person.ts';
import { eraseAudit } from '../../shared/store/person/personal-audit.ts';
import { type Json, type Resource, synthesized, textOf } from './support/synthesized.ts';

interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: Json;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

const listOf = (value: string | readonly string[] = []): readonly string[] =>
  typeof value === 'string' ? [value] : value;

/** What a request does to an item of the table. */
interface ItemRequest {
  readonly action: string;
  readonly key: string;
  /** The attributes that the request names, including those of the key. */
  readonly attributes?: readonly string[];
}

const matches = (pattern: string, text: string) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text);

/**
 * Whether the conditions of a statement hold, by the rules of IAM. The test fails for a kind of condition
 * that this function does not know.
 */
function holds({ Condition = {} }: Statement, { key, attributes = [] }: ItemRequest): boolean {
  const { 'ForAnyValue:StringLike': like, 'ForAnyValue:StringNotEquals': not, ...others } = Condition;
  expect(Object.keys(others)).toEqual([]);
  const keys = listOf(like?.['dynamodb:LeadingKeys']);
  const allowed = listOf(not?.['dynamodb:Attributes']);
  const isKey = !like || keys.some((pattern) => matches(pattern, key));
  return isKey && (!not || attributes.some((name) => !allowed.includes(name)));
}

/** Whether a policy allows a request to the table: at least one statement allows it, and none denies it. */
function allows(policy: Resource, request: ItemRequest): boolean {
  const statements = statementsOf(policy).filter(({ Action }) => listOf(Action).includes(`dynamodb:${request.action}`));
  const applying = statements.filter((statement) => holds(statement, request));
  return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
}

function statementsOf({ Properties }: Resource): readonly Statement[] {
  return (Properties.PolicyDocument as unknown as { Statement: readonly Statement[] }).Statement;
}

/** The attributes that an erasure changes in an audit entry. */
function erasedAttributes(): string[] {
  const traces = { texts: ['Ada'], externalIds: [], grantIds: [], customers: [] };
  const person = new Person({ userId: 1, userUuid: 'uuid', traces });
  const named = { id: 'id', at: '2026-11-23', operator: 'Maria', actor: null, command: 'member find', what: 'Ada' };
  const written = eraseAudit(
    { pk: entry, sk: 'AUDIT#1', ...named, change: { before: { name: 'Ada' }, after: null } },
    person,
  );
  return written?.kind === 'update' ? Object.keys(written.changes.set ?? {}) : [];
}

const entry = `${partitions.audit}2026-11`;
const user = `${partitions.user}1`;

describe.each(['sandbox', 'production'] as const)('the rights of people on %s', (stage) => {
  const { ofType } = synthesized(stage);
  const policy = (name: string): Resource => {
    const found = ofType('AWS::IAM::ManagedPolicy').find(
      ({ Properties }) => Properties.ManagedPolicyName === `rewards-${stage}-${name}`,
    );
    if (!found) throw new Error(`there is no policy ${name}`);
    return found;
  };

  it('let readers change nothing', () => {
    for (const action of ['GetItem', 'BatchGetItem', 'Query', 'Scan']) {
      expect(allows(policy('reader'), { action, key: user })).toBe(true);
    }
    for (const action of ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'ConditionCheckItem']) {
      expect(allows(policy('reader'), { action, key: user })).toBe(false);
    }
  });

  it('let operators add audit entries, but not change them', () => {
    const operator = policy('operator');
    for (const action of ['PutItem', 'UpdateItem', 'DeleteItem']) {
      expect(allows(operator, { action, key: user })).toBe(true);
    }
    expect(allows(operator, { action: 'PutItem', key: entry })).toBe(true);
    expect(allows(operator, { action: 'UpdateItem', key: entry, attributes: ['pk', 'sk', 'what'] })).toBe(false);
    expect(allows(operator, { action: 'DeleteItem', key: entry })).toBe(false);
  });

  it('let the eraser change only the personal attributes of audit entries', () => {
    const eraser = policy('eraser');
    const update = (...attributes: string[]) =>
      allows(eraser, { action: 'UpdateItem', key: entry, attributes: ['pk', 'sk', ...attributes] });

    expect(update('what', 'change')).toBe(true);
    expect(update(...erasedAttributes())).toBe(true);
    for (const name of ['operator', 'actor', 'at', 'command']) expect(update('what', name)).toBe(false);
    expect(allows(eraser, { action: 'DeleteItem', key: entry })).toBe(false);
    expect(allows(eraser, { action: 'UpdateItem', key: user, attributes: ['pk', 'sk', 'state'] })).toBe(true);
  });

  it.each(['reader', 'operator', 'eraser'])('give the %s no batch writes, PartiQL or table changes', (name) => {
    const actions = statementsOf(policy(name)).flatMap(({ Action }) => listOf(Action));
    // IAM cannot limit the attributes that a batch or PartiQL writes. The other actions here change the table itself.
    expect(actions.filter((action) => /Batch\w*Write|PartiQL|Table|Backup|\*/.test(action))).toEqual([]);
    expect(JSON.stringify(policy(name).Properties.PolicyDocument).length).toBeLessThan(6_144);
  });

  it("allow use of the table's encryption key only through DynamoDB", () => {
    for (const name of ['reader', 'operator', 'eraser']) {
      const onKeys = statementsOf(policy(name)).filter(({ Action }) => textOf(Action as Json).includes('kms:'));
      expect(onKeys).toHaveLength(1);
      expect(onKeys[0]?.Condition).toEqual({ StringEquals: { 'kms:ViaService': 'dynamodb.us-east-1.amazonaws.com' } });
    }
  });
});

describe('the trail of table accesses', () => {
  const { only, ofType, referredBy } = synthesized('production');
  const trail = only('AWS::CloudTrail::Trail');

  it('exists on production only', () => {
    expect(synthesized('sandbox').ofType('AWS::CloudTrail::Trail')).toEqual([]);
  });

  it('omits only accesses by functions of the stage', () => {
    const selectors = trail.Properties.AdvancedEventSelectors as unknown as readonly { FieldSelectors: Json }[];
    const types = ['AWS::DynamoDB::Table', 'AWS::DynamoDB::Stream'];
    expect(selectors.map(({ FieldSelectors }) => FieldSelectors)).toEqual(
      types.map((type) => [
        { Field: 'eventCategory', Equals: ['Data'] },
        { Field: 'resources.type', Equals: [type] },
        { Field: 'resources.ARN', StartsWith: [{ Ref: expect.stringMatching(/tablearn/) }] },
        { Field: 'userIdentity.arn', NotStartsWith: [expect.anything()] },
      ]),
    );
    expect(textOf(selectors[0]?.FieldSelectors)).toMatch(/:assumed-role\/rewards-production-$/);
    // A role without a name of its own gets a name that begins with the name of its stack.
    for (const { Properties } of ofType('AWS::IAM::Role')) expect(Properties).not.toHaveProperty('RoleName');
  });

  it('is kept in a bucket that only CloudTrail may write', () => {
    const bucket = referredBy(trail.Properties.S3BucketName);
    expect(trail.Properties).toMatchObject({ EnableLogFileValidation: true, IsLogging: true });
    expect(bucket).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate' });
    expect(bucket.Properties).toMatchObject({
      VersioningConfiguration: { Status: 'Enabled' },
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    });
    const allowed = statementsOf(only('AWS::S3::BucketPolicy')).filter(({ Effect }) => Effect === 'Allow');
    for (const statement of allowed) {
      expect(statement).toMatchObject({ Principal: { Service: 'cloudtrail.amazonaws.com' } });
      expect(textOf(statement.Condition as Json)).toContain(':trail/rewards-production-access');
    }
  });
});
