import * as z from 'zod/mini';
import { FaultyDocumentError } from '../../../shared/domain/campaign/authoring/schema-faults.ts';
import { integerIdOf, parseIntegerId } from '../../../shared/domain/ids.ts';
import {
  AlreadyExistsError,
  AmbiguousNameError,
  ChangedMeanwhileError,
  NotFoundError,
  OperationError,
  type Subject,
  subjectText,
  WrongOrganisationKindError,
  WrongStateError,
} from '../../../shared/operations/errors.ts';
import { NotACustomerError, NotOnProductionError } from '../../../shared/operations/member/issue-user-tokens.ts';
import { MissingPermissionsError } from '../../../shared/operations/organisation/manage-keys.ts';
import { UnknownTimeZoneError } from '../../../shared/operations/partnership/manage-partnership.ts';
import { listed } from './text.ts';

/** A command was refused before it reached the platform. The message is for the operator. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** The arguments or options do not fit together. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Turns every error into a sentence for the operator, without a stack. */
export function sentenceOf(error: unknown): string {
  if (error instanceof z.core.$ZodError) {
    return `an item of the table does not have the form that this version writes: ${issuesText(error)}`;
  }
  if (error instanceof OperationError) return operationText(error);
  if (error instanceof FaultyDocumentError) return faultsText(error);
  if (!(error instanceof Error)) return String(error);
  return adviceFor(error) ?? (error.message || codeOf(error) || error.name);
}

/** Node's error for an address where nothing listens has a code and no message. */
const codeOf = (error: Error) => ('code' in error ? String(error.code) : '');

function operationText(error: OperationError): string {
  if (error instanceof NotFoundError) return notFoundText(error);
  if (error instanceof AmbiguousNameError) return ambiguousText(error);
  if (error instanceof AlreadyExistsError) return alreadyExistsText(error);
  if (error instanceof ChangedMeanwhileError) return `${error.message}: look at it again; nothing was changed now`;
  if (error instanceof WrongOrganisationKindError) {
    const [is, needed] = error.kind === 'MERCHANT' ? ['merchant', 'partner'] : ['partner', 'merchant'];
    return `${subjectText(error.organisation)} is a ${is}, not a ${needed}`;
  }
  if (error instanceof NotACustomerError) return notACustomerText(error);
  if (error instanceof NotOnProductionError) {
    return 'on production only members themselves grant access, by connecting';
  }
  if (error instanceof MissingPermissionsError) {
    return `${subjectText(error.key)} has no permission ${listed(error.permissions)}, and none can be added: create a key`;
  }
  if (error instanceof UnknownTimeZoneError) {
    return `there is no time zone ${error.timeZone}: give one such as America/New_York`;
  }
  if (error instanceof WrongStateError && error.state !== 'deleted') return `${error.message} already`;
  return error.message;
}

function notFoundText({ subject, within, similar, actualKind }: NotFoundError): string {
  if (within) return missingPartText(subject, within);
  const { kind, id } = subject;
  if (kind === 'key') {
    const found = actualKind === undefined ? '' : `: it is a ${actualKind}`;
    return `there is no partner key ${id || 'with this text'}${found}; key list shows the keys of an organisation`;
  }
  if (kind === 'client') return `there is no client ${id}; client list shows the clients of an organisation`;
  if (kind === 'member' && parseIntegerId(String(id)) === undefined && integerIdOf(String(id)) === undefined) {
    return `there is no member ${id}; for the id that an organisation uses, name the organisation with --of`;
  }
  return `there is no ${kind} ${id}${similar ? `, but ${subjectText(similar)}` : ''}`;
}

function missingPartText({ kind, id }: Subject, within: Subject): string {
  const owner = subjectText(within);
  switch (kind) {
    case 'document':
      return `${owner} has no document`;
    case 'decision':
      return `the table does not contain the decision behind ${owner}`;
    case 'program account':
      return `member ${id} has no account in the program of ${owner}`;
    case 'template':
      return `neither ${owner} nor the platform has a template ${id}`;
    case 'order':
      return `${owner} has sent no order ${id}; a purchase with a token (endpoint 2) has reward transactions only`;
    default:
      return `${owner} has no ${kind} ${id}`;
  }
}

function ambiguousText({ subject: { kind, id }, ids }: AmbiguousNameError): string {
  if (kind === 'key') return `several keys have the id ${id}: give the SHA-256 of the key’s text`;
  return `several ${kind}s are called ${id}: give one of the ids ${ids.join(', ')}`;
}

function alreadyExistsText({ subject, within }: AlreadyExistsError): string {
  const { kind, id } = subject;
  if (within) return `${subjectText(within)} has a ${kind} ${id} already; nothing was changed`;
  if (kind === 'organisation' || kind === 'partnership') return `${subjectText(subject)} has this name already`;
  return `${subjectText(subject)} exists already: another operator was faster; nothing was changed now, try again`;
}

function notACustomerText({ member, merchant, merchantIds }: NotACustomerError): string {
  if (merchant) return `${subjectText(member)} is no customer of ${subjectText(merchant)}`;
  if (merchantIds.length === 0) return `${subjectText(member)} is a customer of no merchant`;
  return `${subjectText(member)} is a customer of ${merchantIds.join(', ')}: name one with --merchant`;
}

function faultsText({ subject, faults }: FaultyDocumentError): string {
  const lines = faults.map(({ pointer, message }) => `  ${pointer || 'the whole'}: ${message}`);
  return `${subject} has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${lines.join('\n')}`;
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

/** Every issue of an item: its place, and the message. */
function issuesText({ issues }: z.core.$ZodError): string {
  return issues.map(({ path, message }) => `${pointerOf(path)}: ${message}`).join('; ');
}

const pointerOf = (path: readonly PropertyKey[]) => path.map((part) => `/${String(part)}`).join('') || 'the whole';
