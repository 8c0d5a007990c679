import { randomBytes } from 'node:crypto';
import type { Resource, Resources } from '../template/resources.ts';
import type { SecretsServer } from './server.ts';

interface SecretProperties {
  readonly Name: string;
  readonly SecretString?: string;
  readonly GenerateSecretString?: { readonly PasswordLength?: number; readonly GenerateStringKey?: string };
}

/** Secrets Manager's length of a generated text. */
const defaultLength = 32;

/** The present text of each secret of the template. The keys are the secrets' names. */
export type SecretTexts = ReadonlyMap<string, string>;

/** Makes the secrets of the template that do not exist yet. Their texts are letters and digits. */
export function makeSecrets(resources: Resources, server: SecretsServer): SecretTexts {
  return new Map(
    resources.ofType('AWS::SecretsManager::Secret').map((resource) => {
      const properties = resource.properties<SecretProperties>();
      return [properties.Name, server.ensure(properties.Name, () => makeText(resource, properties))];
    }),
  );
}

function makeText({ logicalId }: Resource, { SecretString, GenerateSecretString = {} }: SecretProperties): string {
  if (SecretString !== undefined) return SecretString;
  const { PasswordLength = defaultLength, GenerateStringKey } = GenerateSecretString;
  if (GenerateStringKey) throw new Error(`${logicalId}: secrets that are JSON are not made here`);
  return randomBytes(PasswordLength).toString('hex').slice(0, PasswordLength);
}

const reference = /\{\{resolve:secretsmanager:([^:}]+)(?::[^}]*)?\}\}/g;

/**
 * Puts the texts of secrets in the place of dynamic references, such as `{{resolve:secretsmanager:a-name:SecretString:::}}`.
 * @throws Error when the template has no such secret
 */
export function resolveSecrets(text: string, secrets: SecretTexts): string {
  return text.replace(reference, (_, name: string) => {
    const found = secrets.get(name);
    if (found === undefined) throw new Error(`no stack makes the secret ${name}`);
    return found;
  });
}
