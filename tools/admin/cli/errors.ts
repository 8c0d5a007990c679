import * as z from 'zod/mini';

/** Why a command did not do what it was asked for, in a sentence for the operator. Nothing was changed. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** The command line itself makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Whatever went wrong as text for a person: never a stack. */
export function sentenceOf(error: unknown): string {
  if (error instanceof z.core.$ZodError) {
    return `an item of the table is not as this version of the platform writes it: ${faultsText(error)}`;
  }
  if (!(error instanceof Error)) return String(error);
  // What Node says of an address that nobody listens on has a code and no message.
  const text = error.message || (error as NodeJS.ErrnoException).code || error.name;
  return adviceFor(error) ?? text;
}

function adviceFor({ name, message }: Error): string | undefined {
  switch (name) {
    case 'CredentialsProviderError':
      return `there are no AWS credentials to use (${message}); log in, or name a profile with AWS_PROFILE`;
    case 'ExpiredToken':
    case 'ExpiredTokenException':
    case 'UnrecognizedClientException':
    case 'InvalidClientTokenId':
      return `AWS does not accept the credentials (${message}); log in again`;
    case 'AccessDeniedException':
    case 'AccessDenied':
      return `AWS does not allow it (${message}); docs/runbook.md lists the rights that an operator needs`;
    case 'ContentionError':
      return 'other writes kept getting in the way; nothing was changed, try again';
    default:
      return undefined;
  }
}

/** Every fault of a value that is not as its schema says: where, and what. */
function faultsText({ issues }: z.core.$ZodError): string {
  return issues.map(({ path, message }) => `${pointerOf(path)}: ${message}`).join('; ');
}

const pointerOf = (path: readonly PropertyKey[]) => path.map((part) => `/${String(part)}`).join('') || 'the whole';
