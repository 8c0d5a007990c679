import { AwsError, type ServiceRequest, validationError } from '../aws-service/service-server.ts';
import type { UserPool } from './user-pool.ts';
import type { User, Users } from './users.ts';

type Input = ServiceRequest['body'];

interface ApiContext {
  readonly pool: UserPool;
  readonly users: Users;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

type Operation = (input: Input, context: ApiContext) => object;

const operations: Readonly<Record<string, Operation>> = {
  AdminCreateUser: (input, { pool, users, now }) => {
    const [email, name] = [attributeOf(input, 'email') ?? textOf(input, 'Username'), attributeOf(input, 'name')];
    if (users.find(email)) throw new AwsError('UsernameExistsException', 'User account already exists');
    return { User: toView(users.add(pool.id, { email, name: name ?? email }, now()), 'Attributes') };
  },
  AdminGetUser: (input, context) => toView(findUser(input, context), 'UserAttributes'),
  AdminDeleteUser: (input, context) => {
    context.users.delete(findUser(input, context));
    return {};
  },
  ListUsers: (_, { users }) => ({ Users: users.list().map((user) => toView(user, 'Attributes')) }),
};

/**
 * Answers a call of Cognito's API of user pools: the operations by which an operator sees and changes users.
 *
 * @throws AwsError that names an unknown operation, pool or user
 */
export function answerApi(operationName: string, input: Input, context: ApiContext): object {
  const operation = operations[operationName];
  if (!operation) throw new AwsError('UnknownOperationException', `Cognito has no operation ${operationName} here`);
  if (input.UserPoolId !== context.pool.id) {
    throw new AwsError('ResourceNotFoundException', `User pool ${input.UserPoolId} does not exist.`);
  }
  return operation(input, context);
}

function findUser(input: Input, { users }: ApiContext): User {
  const found = users.find(textOf(input, 'Username'));
  if (!found) throw new AwsError('UserNotFoundException', 'User does not exist.');
  return found;
}

function textOf(input: Input, member: string): string {
  const value = input[member];
  if (typeof value !== 'string' || value === '') throw validationError(`${member} must be a text.`);
  return value;
}

function attributeOf({ UserAttributes }: Input, name: string): string | undefined {
  const attributes: readonly { readonly Name?: unknown; readonly Value?: unknown }[] = Array.isArray(UserAttributes)
    ? UserAttributes
    : [];
  const found = attributes.find(({ Name }) => Name === name);
  return typeof found?.Value === 'string' ? found.Value : undefined;
}

const toView = ({ subject, email, name, createdMs }: User, attributes: 'Attributes' | 'UserAttributes') => ({
  Username: subject,
  [attributes]: Object.entries({ sub: subject, email, email_verified: 'true', name }).map(([Name, Value]) => ({
    Name,
    Value,
  })),
  Enabled: true,
  UserStatus: 'CONFIRMED',
  UserCreateDate: createdMs / 1000,
});
