import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildArn, localAccount } from '../account.ts';
import { AwsError, createServiceServer, type ServiceServer, validationError } from '../aws-service/service-server.ts';

/** A secret with its versions. `AWSPREVIOUS` is the version before the last change. */
interface Secret {
  readonly name: string;
  current: Version;
  previous?: Version;
}

interface Version {
  readonly id: string;
  readonly text: string;
  readonly createdMs: number;
}

type Input = Readonly<Record<string, unknown>>;

/** The secrets in memory, and in a file if there is one. */
class Secrets {
  readonly #file: string | undefined;
  readonly #secrets: Map<string, Secret>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;

  constructor(file: string | undefined, now: () => number) {
    this.#file = file;
    this.now = now;
    this.#secrets = new Map(file === undefined ? [] : readSecrets(file).map((secret) => [secret.name, secret]));
  }

  create(name: string, text: string): Secret {
    if (this.#secrets.has(name)) {
      throw new AwsError('ResourceExistsException', `The operation failed because the secret ${name} already exists.`);
    }
    return this.#keep({ name, current: this.#newVersion(text) });
  }

  /** Returns the present text of a secret, and makes the secret first if there is none. */
  ensure(name: string, makeText: () => string): string {
    const found = this.#secrets.get(name) ?? this.create(name, makeText());
    return found.current.text;
  }

  put(id: string, text: string): Secret {
    const { name, current } = this.find(id);
    return this.#keep({ name, current: this.#newVersion(text), previous: current });
  }

  /** Finds a secret by its name or ARN. */
  find(id: string): Secret {
    const found = [...this.#secrets.values()].find((secret) => secret.name === id || arnOf(secret) === id);
    if (!found) throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    return found;
  }

  delete(id: string): Secret {
    const found = this.find(id);
    this.#secrets.delete(found.name);
    this.#save();
    return found;
  }

  list(): Secret[] {
    return [...this.#secrets.values()];
  }

  #newVersion(text: string): Version {
    return { id: randomUUID(), text, createdMs: this.now() };
  }

  #keep(secret: Secret): Secret {
    this.#secrets.set(secret.name, secret);
    this.#save();
    return secret;
  }

  #save(): void {
    if (this.#file === undefined) return;
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify(this.list()), { mode: 0o600 });
  }
}

function readSecrets(file: string): Secret[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** AWS adds six random characters to the name. Here they are always the same. */
const arnOf = ({ name }: Pick<Secret, 'name'>): string =>
  buildArn(localAccount, 'secretsmanager', `secret:${name}-aB3dE6`);

type Operation = (secrets: Secrets, input: Input) => object;

const operations: Readonly<Record<string, Operation>> = {
  CreateSecret: (secrets, input) => toView(secrets.create(textOf(input, 'Name'), textOf(input, 'SecretString'))),
  PutSecretValue: (secrets, input) => ({
    ...toView(secrets.put(textOf(input, 'SecretId'), textOf(input, 'SecretString'))),
    VersionStages: ['AWSCURRENT'],
  }),
  UpdateSecret: (secrets, input) => toView(secrets.put(textOf(input, 'SecretId'), textOf(input, 'SecretString'))),
  GetSecretValue: (secrets, input) => {
    const secret = secrets.find(textOf(input, 'SecretId'));
    const stage = input.VersionStage ?? 'AWSCURRENT';
    const version = stage === 'AWSPREVIOUS' ? secret.previous : secret.current;
    if (!version) {
      throw new AwsError('ResourceNotFoundException', `Secrets Manager can't find the version stage ${stage}.`);
    }
    return {
      ...toView({ ...secret, current: version }),
      SecretString: version.text,
      VersionStages: [stage],
      CreatedDate: version.createdMs / 1000,
    };
  },
  DescribeSecret: (secrets, input) => toView(secrets.find(textOf(input, 'SecretId'))),
  DeleteSecret: (secrets, input) => ({
    ...toView(secrets.delete(textOf(input, 'SecretId'))),
    DeletionDate: secrets.now() / 1000,
  }),
  ListSecrets: (secrets) => ({ SecretList: secrets.list().map(toView) }),
};

const toView = (secret: Secret): object => ({ ARN: arnOf(secret), Name: secret.name, VersionId: secret.current.id });

function textOf(input: Input, member: string): string {
  const value = input[member];
  if (typeof value !== 'string' || value === '') throw validationError(`${member} must be a text.`);
  return value;
}

export interface SecretsServer extends ServiceServer {
  /** Returns the present text of a secret, and makes the secret first if there is none. */
  ensure(name: string, makeText: () => string): string;
}

/**
 * Serves secrets over the AWS JSON 1.1 protocol, for the functions and `aws secretsmanager --endpoint-url`.
 *
 * @param file keeps the secrets for the next start
 * @param now returns the time for new versions of secrets, in milliseconds since the epoch
 */
export function createSecretsServer(file?: string, now = Date.now): SecretsServer {
  const secrets = new Secrets(file, now);
  const server = createServiceServer({
    contentType: 'application/x-amz-json-1.1',
    handle({ headers, body }) {
      const [service, name = ''] = String(headers['x-amz-target'] ?? '').split('.');
      const operation = service === 'secretsmanager' ? operations[name] : undefined;
      if (!operation) throw new AwsError('UnknownOperationException', `Secrets Manager has no operation ${name} here`);
      return operation(secrets, body);
    },
  });
  return { ...server, ensure: (name, makeText) => secrets.ensure(name, makeText) };
}
