import * as z from 'zod/mini';
import { FaultyDocumentError, pointerOf } from '../../../shared/domain/campaign/authoring/schema-faults.ts';
import { count, dollars } from '../../../shared/domain/campaign/words/amounts.ts';
import { integerIdOf, parseIntegerId } from '../../../shared/domain/ids.ts';
import { describeIssue } from '../../../shared/domain/issues.ts';
import {
  AlreadyExistsError,
  AmbiguousNameError,
  CampaignRefusedError,
  ChangedMeanwhileError,
  InUseError,
  LastOwnerError,
  NotASideError,
  NotFoundError,
  type Obstacle,
  OperationError,
  type Subject,
  subjectText,
  WrongOrganisationKindError,
  WrongStateError,
} from '../../../shared/operations/errors.ts';
import { PayoutRefusedError } from '../../../shared/operations/ledger/pay-cashback.ts';
import { NotACustomerError } from '../../../shared/operations/member/issue-user-tokens.ts';
import { MissingPermissionsError } from '../../../shared/operations/organisation/manage-keys.ts';
import {
  PartnershipExcludedError,
  partnershipSubject,
  UnknownTimeZoneError,
} from '../../../shared/operations/partnership/manage-partnership.ts';
import { CustomerElsewhereError } from '../../../shared/operations/payment/manage-payments.ts';
import { EntryInUseError } from '../../../shared/operations/registry/manage-registry.ts';
import { command, listOf, remedyOf } from './advice.ts';
import { withMoments } from './moments.ts';

/** Text for people. */

export { count, counted, dollars } from '../../../shared/domain/campaign/words/amounts.ts';

/** A cell of a table. Numbers are aligned to the right. */
export type Cell = string | number | boolean | null;

/** Characters that move the cursor or change the direction of text. Names may contain them: members choose names. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const unprintableButNewLine = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces the characters that control a terminal. */
export const printable = (text: string) => text.replaceAll(unprintableButNewLine, '\ufffd');

/** Returns JSON in which the characters that control a terminal are escaped. */
export function printableJson(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, 2).replaceAll(unprintableButNewLine, escaped);
}

/** Formats rows in columns, under the names of the columns. */
export function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) => row.map(cellText));
  const widths = columns.map((name, column) =>
    Math.max(...[name, ...texts.map((row) => row[column] ?? '')].map(width)),
  );
  const isRight = columns.map((_, column) => rows.length > 0 && rows.every((row) => isNumber(row[column])));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const gap = ' '.repeat((widths[column] ?? 0) - width(cell));
        return isRight[column] ? gap + cell : cell + gap;
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((length) => '-'.repeat(length));
  return [columns, rule, ...texts].map(line).join('\n');
}

/** Formats names and values, one pair a line. Leaves out what is undefined. */
export function facts(entries: Readonly<Record<string, Cell | undefined>>): string {
  const known = Object.entries(entries).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const longest = Math.max(...known.map(([name]) => width(name)));
  return known.map(([name, value]) => `${name}${' '.repeat(longest - width(name))}  ${cellText(value)}`).join('\n');
}

/** Indents a body under its heading. */
export function section(heading: string, body: string): string {
  return `${heading}\n${body.replaceAll(/^(?=.)/gm, '  ')}`;
}

/** Joins parts with an empty line between them. */
export const paragraphs = (...parts: readonly string[]) => parts.join('\n\n');

/** `Gold (2)`: a thing by its name and id; only the id if the name is not known. */
export const namedId = (id: number, name: string | undefined) => (name === undefined ? `${id}` : `${name} (${id})`);

/** `a, b and c` */
export function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? 'none';
  return parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${last}` : last;
}

function cellText(cell: Cell): string {
  if (cell === null || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return String(cell).replaceAll(unprintable, '\ufffd');
}

const width = (text: string) => [...text].length;
const isNumber = (cell: Cell | undefined) => cell === null || /^[-+]?[\d,]+$/.test(String(cell));

/** A command was refused before it reached the platform. The message is for the operator. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** The arguments or options contradict each other. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Turns every error into a sentence for the operator, without a stack. */
export function sentenceOf(error: unknown): string {
  if (error instanceof z.core.$ZodError) {
    const fault = `an item of the table does not have the form that this version writes: ${issuesText(error)}`;
    return `${fault}; npm run admin -- reconcile lists such items of members`;
  }
  if (error instanceof OperationError) return withMoments(operationText(error));
  if (error instanceof FaultyDocumentError) return faultsText(error);
  if (!(error instanceof Error)) return String(error);
  return adviceFor(error) ?? (error.message || codeOf(error) || error.name);
}

/** When no server listens at an address, Node's error has a code and no message. */
const codeOf = (error: Error) => ('code' in error ? String(error.code) : '');

/** Makes the sentence for the errors of one class. */
const sentence =
  <Kind extends OperationError>(kind: abstract new (...parts: never[]) => Kind, textOf: (error: Kind) => string) =>
  (error: OperationError) =>
    error instanceof kind ? textOf(error) : undefined;

/** Sentences for errors whose own messages do not tell an operator what to do. */
const sentences = [
  sentence(NotFoundError, (error) => notFoundText(error)),
  sentence(AmbiguousNameError, (error) => ambiguousText(error)),
  sentence(AlreadyExistsError, (error) => alreadyExistsText(error)),
  sentence(ChangedMeanwhileError, ({ message, isBegun }) =>
    isBegun
      ? `${message}: give the same command again, which continues`
      : `${message}: look at it again; nothing was changed now`,
  ),
  sentence(WrongOrganisationKindError, ({ organisation, kind }) => {
    const [is, needed] = kind === 'MERCHANT' ? ['merchant', 'partner'] : ['partner', 'merchant'];
    return `${subjectText(organisation)} is a ${is}, not a ${needed}${lookUp('organisation')}`;
  }),
  sentence(NotASideError, ({ message }) => `${message}: name one of its sides${lookUp('partnership')}`),
  sentence(
    CampaignRefusedError,
    ({ reason }) => `${reason}; ${command('campaign show <campaign>')} shows its versions, states and approvals`,
  ),
  sentence(
    EntryInUseError,
    ({ message }) => `${message} (${command('campaign apply <file>')}, ${command('campaign end <campaign>')})`,
  ),
  sentence(
    LastOwnerError,
    () =>
      `the person is the last owner of an organisation: invite another owner first, with ${command('organisation invite <organisation> --email <address>')}`,
  ),
  sentence(PartnershipExcludedError, (error) => excludedText(error)),
  sentence(NotACustomerError, (error) => notACustomerText(error)),
  sentence(
    MissingPermissionsError,
    ({ key, permissions }) =>
      `${subjectText(key)} has no permission ${listed(permissions)}, and none can be added: create a key`,
  ),
  sentence(
    UnknownTimeZoneError,
    ({ timeZone }) => `there is no time zone ${timeZone}: give one such as America/New_York`,
  ),
  sentence(InUseError, (error) => inUseText(error)),
  sentence(PayoutRefusedError, (error) => payoutText(error)),
  sentence(CustomerElsewhereError, ({ customer: { platform, account, customerId }, accounts }) => {
    const places = accounts.map((one) => `--account ${one}`);
    return (
      `no payment of customer ${customerId} waits in the account ${platform} ${account}, but payments of ${customerId} wait ` +
      `elsewhere; nothing was changed: give payments link-customer with ${places.join(' or ')}`
    );
  }),
  sentence(WrongStateError, ({ state, subject, message }) =>
    state === 'deleted' ? `${message}${lookUp(subject.kind)}` : `${message} already`,
  ),
];

function operationText(error: OperationError): string {
  for (const textOf of sentences) {
    const text = textOf(error);
    if (text !== undefined) return text;
  }
  return error.message;
}

/** Each obstacle with the command that removes it. */
function inUseText({ subject, obstacles, isBegun }: InUseError): string {
  const changed = isBegun ? 'the command has begun; finish this, then give it again' : 'nothing was changed';
  return `${subjectText(subject)} is in use; ${changed}:\n${obstacles.map((one) => `  ${obstacleText(one)}`).join('\n')}`;
}

function obstacleText({ kind, values }: Obstacle): string {
  const named = listed(values.map(String));
  const campaigns = `${values.length === 1 ? 'campaign' : 'campaigns'} ${named}`;
  switch (kind) {
    case 'entries':
      return 'its ledger has entries, so its time zone is final: create another partnership for another time zone';
    case 'active':
      return `it is active${values.length > 0 ? `, with ${campaigns}` : ''}: stop it with partnership deactivate`;
    case 'campaigns':
      return `${campaigns} can reward members: end each with campaign end, or delete its draft`;
    case 'cashback':
      return `${campaigns} award cashback: change each with campaign apply, or stop it with campaign end`;
    case 'transfers':
      return `${campaigns} transfer points of its partner: end each with campaign end`;
    case 'partnerships':
      return `it has ${values.length === 1 ? 'the partnership' : 'the partnerships'} ${named}: delete each with partnership delete`;
    case 'credentials':
      return `it has ${named} keys and clients, too many for one change: revoke some with key revoke and client revoke`;
    case 'pending':
      return `${named} ${values.length === 1 ? 'is' : 'are'} in progress: wait for the end; member why explains, reconcile names what stands still`;
    case 'held':
      return values.map(heldText).join('\n  ');
    case 'balance':
      return `it has ${listed(values.map((points) => `${count(Number(points))} points`))}: give --forfeit if they are given up`;
    case 'unpaid':
      return `it has ${dollars(Number(values[0]))} of unpaid cashback: pay it first, with cashback export and cashback mark-paid`;
    case 'batches':
      return `${values.length === 1 ? 'payout batch' : 'payout batches'} ${named} will pay it: finish with cashback mark-paid or cashback return`;
    case 'proposals':
      return `${values.length === 1 ? 'the proposal' : 'the proposals'} ${named} would adjust its points: decide with adjustment approve or adjustment refuse`;
    case 'merging':
      return `the merge of ${values.length === 1 ? 'member' : 'members'} ${named} into it is not finished: give member merge again`;
    case 'ownAccounts':
      return `both have an account of ${partnersText(values)}, who keeps the points: both cannot be one here. Let the partner close one, and erase its member`;
    case 'unanswered':
      return `${partnersText(values)} has not answered everything: wait, or look at transaction list`;
    case 'closed':
      return `the account of the kept member in the program of ${partnersText(values)} is closed: keep the other member`;
    case 'unlinkedAt':
      return `merchant ${named} may not use the kept member any more: keep the other one, or link the kept one again with member link`;
    case 'referred':
      return `only this member was referred in the program of ${partnersText(values)}: keep this one, and merge the other one into it`;
    case 'blocked':
      return `a block would be lifted or spread, of ${named}: end it with member unblock, merge, and block the kept member again`;
    case 'points':
      return `members have ${count(Number(values[0]))} points in its program: statement program shows them`;
    case 'cents':
      return `members have ${dollars(Number(values[0]))} of unpaid cashback: pay it with cashback export and cashback mark-paid`;
  }
}

const heldText = (id: number | string) =>
  `transaction ${id} is held for review: let it go on with transaction release ${id} --reason "…", or end it with ` +
  `transaction refuse ${id} --reason "…"`;

const partnersText = (ids: readonly (number | string)[]) =>
  `${ids.length === 1 ? 'partner' : 'partners'} ${listed(ids.map(String))}`;

function payoutText({ batch: { uuid, state, reference }, step }: PayoutRefusedError): string {
  const paid = reference === undefined ? '' : `, with reference ${reference}`;
  const found = `batch ${uuid} is ${state}${paid}`;
  switch (step) {
    case 'begin':
      return `${found}: finish it with cashback ${state === 'OPEN' ? 'export --batch' : 'return'} ${uuid}`;
    case 'export':
      return `${found}: nothing is added to it any more`;
    case 'markPaid':
      return state === 'OPEN'
        ? `${found}: finish it with cashback export --batch ${uuid}`
        : `${found}: nothing was changed`;
    case 'return':
      return state === 'OPEN'
        ? `${found}: finish it with cashback export --batch ${uuid}`
        : `${found}: of a paid batch, only the payout of one member can come back, with --member`;
  }
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
    return `there is no member ${id}; for the id that an organisation uses, name the organisation with --of${lookUp(kind)}`;
  }
  return `there is no ${kind} ${id}${similar ? `: did you mean ${subjectText(similar)}?` : lookUp(kind)}`;
}

/** The command that lists the existing things of a kind. */
function lookUp(kind: Subject['kind']): string {
  const listing = listOf[kind];
  return listing === undefined ? '' : `; ${command(listing)} shows what there is`;
}

function missingPartText({ kind, id }: Subject, within: Subject): string {
  const owner = subjectText(within);
  switch (kind) {
    case 'document':
      return `${owner} has no document: ${command(`campaign show ${within.id}`)}`;
    case 'decision':
      return `the table does not contain the decision behind ${owner}: ${command('reconcile')} compares the books`;
    case 'program account':
      return `member ${id} has no account in the program of ${owner}${lookUp(kind)}`;
    case 'account number':
      return `${owner} has no account ${id}; program account list shows the accounts of a hosted program`;
    case 'template':
      return `neither ${owner} nor the platform has a template ${id}${lookUp(kind)}`;
    case 'order':
      return `${owner} has sent no order ${id}, and no token, payment or refused request of the last 30 days names it${lookUp(kind)}`;
    default:
      return `${owner} has no ${kind} ${id}${lookUp(kind)}`;
  }
}

function ambiguousText({ subject: { kind, id }, ids }: AmbiguousNameError): string {
  if (kind === 'key') return `several keys have the id ${id}: give the SHA-256 of the key’s text`;
  return `several ${kind}s are called ${id}: give one of the ids ${ids.join(', ')}`;
}

function alreadyExistsText({ subject, within }: AlreadyExistsError): string {
  const { kind, id } = subject;
  if (within)
    return `${subjectText(within)} has ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind} ${id} already; nothing was changed`;
  if (kind === 'organisation' || kind === 'partnership') {
    return `${subjectText(subject)} has this name already: give another one, or change that one with ${kind} edit`;
  }
  return `${subjectText(subject)} exists already: another operator was faster; nothing was changed now, try again`;
}

function excludedText({ existing, isSamePair }: PartnershipExcludedError): string {
  const reason = isSamePair
    ? 'is the active partnership of this merchant and this partner'
    : `is ${existing.kind}: a direct partnership is the only one of its merchant`;
  const command = `partnership deactivate ${existing.uuid}`;
  return `${subjectText(partnershipSubject(existing))} ${reason}; to end it, run: ${command}`;
}

function notACustomerText({ member, merchant, merchantIds }: NotACustomerError): string {
  const link = `: ${command('member link <customer> --merchant <organisation> --program <organisation>')} makes one`;
  if (merchant) return `${subjectText(member)} is no customer of ${subjectText(merchant)}${link}`;
  if (merchantIds.length === 0) return `${subjectText(member)} is a customer of no merchant${link}`;
  return `${subjectText(member)} is a customer of ${merchantIds.join(', ')}: name one with --merchant`;
}

function faultsText({ subject, faults }: FaultyDocumentError): string {
  const lines = faults.map(({ pointer, code, message }) => {
    const remedy = remedyOf[code];
    return `  ${pointer || 'the whole'}: ${message}${remedy === undefined ? '' : ` (${command(remedy)})`}`;
  });
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
    case 'SubscriptionNotFoundError':
      return 'the organisation has no subscription with this id; webhook list shows its subscriptions';
    case 'DeliveryNotFoundError':
      return 'the subscription has no delivery of this event in the last 30 days; webhook deliveries lists them';
    case 'ReplayInProgressError':
      return 'a replay of this subscription is in progress; webhook show shows it until it is done, then try again';
    case 'RotationRunningError':
      return `${message}; end it with webhook commit-salt, or wait`;
    case 'NoRotationError':
      return 'the subscription has one salt only; webhook rotate-salt begins to replace it';
    case 'ThrottledError':
      return 'DynamoDB takes no more requests at present; try again in a minute';
    default:
      return undefined;
  }
}

/** Every issue of an item: its place, and the fault in the platform's own words. */
function issuesText({ issues }: z.core.$ZodError): string {
  return issues.map((issue) => `${pointerOf(issue.path) || 'the whole'}: ${describeIssue(issue)}`).join('; ');
}
