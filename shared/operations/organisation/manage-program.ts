import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { Organisation } from '../../domain/organisation.ts';
import type { ProgramHealth } from '../../domain/program-health.ts';
import { type ProgramSecrets, probeProgram } from '../../programs/programs.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import type { Approval, ProgramSwitch } from '../../store/ledger/manual-adjustments.ts';
import { Postings } from '../../store/ledger/postings.ts';
import { Transactions } from '../../store/ledger/transactions.ts';
import { changedOrganisationWrite } from '../../store/organisation/organisations.ts';
import { ProgramHealths } from '../../store/organisation/program-healths.ts';
import { checkEndpointUrl } from '../../webhooks/destination.ts';
import { keyOfSecret, secretOfKey } from '../../webhooks/standard-webhooks.ts';
import { ChangedMeanwhileError, OperationError, subjectText } from '../errors.ts';
import { approve, isApproved, movePointsStores, NothingToApproveError } from '../move-points.ts';
import { askAgain } from '../posting/receive-report.ts';
import { type AuditedDeps, type Author, writeAudited } from '../write-audited.ts';
import { findOrganisationOfKind, findOrganisationStores, organisationSubject } from './find-organisation.ts';

const manageProgramStores = {
  ...findOrganisationStores,
  ...movePointsStores,
  partnerships: Partnerships,
  postings: Postings,
  programHealths: ProgramHealths,
  transactions: Transactions,
};
type ProgramDeps = AuditedDeps<typeof manageProgramStores>;
type SecretDeps = ProgramDeps & { readonly secrets: Pick<ProgramSecrets, 'of' | 'write'> };

/** The program cannot be set up or changed like this. The message says why. */
export class UnusableProgramError extends OperationError {
  override readonly name = 'UnusableProgramError';
}

/** The number of waiting transactions that a refusal names. */
const namedTransactions = 10;

/** Random bytes of a secret. */
const secretBytes = 32;

/** The settings of a partner's own program. */
export interface OwnProgram {
  readonly baseUrl: string;
  /** The secret that the partner has already. Without it, the platform makes a new secret. */
  readonly secret?: string | undefined;
  /** Whether to connect the program without a test request. */
  readonly isUntried?: boolean;
}

/** A partner with its program. */
export interface SetUpProgram {
  readonly partner: Organisation;
  /** The secret to give to the partner; it cannot be shown again. Undefined when the partner has the secret already. */
  readonly secret: string | undefined;
  /** What came back from the test request; absent when none was sent. */
  readonly probe?: string;
}

/**
 * Connects a partner's own program. The secret is stored before the organisation is changed: a program without a secret
 * could not be called. Before anything changes, the program has to answer a test request.
 *
 * If merchants use the program or used it before, a new address needs the approval of another operator: the balances in
 * the program's replies become the balances of the members.
 *
 * @throws UnusableProgramError when the URL is not allowed, the secret is malformed, another operator has to approve, or
 *   the test request was not answered as the contract says
 * @throws NotFoundError, WrongOrganisationKindError
 */
export async function connectProgram(text: string, wanted: OwnProgram, deps: SecretDeps): Promise<SetUpProgram> {
  const { partner, url, switched } = await planConnection(text, wanted, deps);
  const given = wanted.secret === undefined ? undefined : parseSecret(wanted.secret);
  const { author } = deps;
  if (author && switched && !(await isApproved(switched, { ...deps, author }))) {
    throw new UnusableProgramError(
      `merchants use, or used, the program of organisation ${partner.id}, so two operators change its address: ` +
        'let another operator run the same command with --approve first',
    );
  }
  const known = await deps.secrets.of(partner.id);
  const secret = given ?? known[0] ?? newSecret(deps);
  const isKnown = given !== undefined || known.length > 0;
  const probe = wanted.isUntried ? undefined : await tryProgram({ partnerId: partner.id, url, secret, isKnown }, deps);
  if (!known.includes(secret)) await deps.secrets.write(partner.id, [secret]);

  const changed = { ...partner, program: { kind: 'http', baseUrl: url.href } } as const;
  await write(partner, changed, `connected the program at ${url.href} to organisation ${partner.id}`, deps);
  const shown = given === undefined && !known.includes(secret) ? secret : undefined;
  return { partner: changed, secret: shown, ...(probe !== undefined && { probe }) };
}

/**
 * Sends a test request to a program. A program that cannot know its new secret yet has to refuse the signature.
 *
 * @returns what came back, in words
 * @throws UnusableProgramError when the reply is not as the contract says
 */
async function tryProgram(
  { partnerId, url, secret, isKnown }: { partnerId: number; url: URL; secret: string; isKnown: boolean },
  deps: SecretDeps,
): Promise<string> {
  const answer = await probeProgram({ partnerId, baseUrl: url.href, secret }, deps);
  if (answer.kind !== 'unknown') return 'it answered as the contract says';
  const isRefusal = answer.cause === 'status 401' || answer.cause === 'status 403';
  if (isRefusal && !isKnown) {
    return (
      `it refused the signature (${answer.cause}), because it does not know the new secret yet. This does not show that ` +
      'the path is right: run the command again when the program knows the secret'
    );
  }
  const problem = isRefusal
    ? `${url.href} refused the signature of a test request (${answer.cause}): either the secret or the path is wrong`
    : `a test request to ${url.href} failed: ${answer.cause}`;
  throw new UnusableProgramError(
    `${problem}; nothing was changed. Correct the URL${isRefusal ? ' or the secret' : ''}, or the server, ` +
      'and run it again; --untried connects it without a test request',
  );
}

/**
 * Approves that another operator connects a program to exactly this address.
 *
 * @throws NothingToApproveError when the address needs no approval
 * @throws UnusableProgramError, NotFoundError, WrongOrganisationKindError
 */
export async function approveConnection(
  text: string,
  wanted: Pick<OwnProgram, 'baseUrl'>,
  deps: ProgramDeps & { readonly author: Author },
): Promise<Approval> {
  const { switched } = await planConnection(text, wanted, deps);
  if (!switched) throw new NothingToApproveError('one operator may connect the program to this address');
  const { partnerId, from, to } = switched;
  const what = `connects the program of organisation ${partnerId}, now ${from}, to ${to}`;
  return approve(switched, { points: 0, what }, deps);
}

/**
 * Loads the partner, and the change that another operator has to approve. A new address needs approval if merchants use
 * the program or used it before: accounts and points outlive a partnership. An http address is on the developer's own
 * machine, so it needs no approval.
 */
async function planConnection(text: string, { baseUrl }: Pick<OwnProgram, 'baseUrl'>, deps: ProgramDeps) {
  const partner = await findOrganisationOfKind(text, 'PARTNER', deps);
  const checked = checkEndpointUrl(baseUrl, { httpHosts: deps.config.webhookHttpHosts });
  if (!checked.allowed) throw new UnusableProgramError(`the URL ${baseUrl} ${checked.message}`);
  const { id: partnerId, program } = partner;
  const { url } = checked;
  const from = program?.kind === 'http' ? program.baseUrl : program?.kind;
  const isMoved = from !== undefined && from !== url.href && url.protocol === 'https:';
  const isUsed = isMoved && (await deps.partnerships.hasExistedFor(partnerId));
  const switched: ProgramSwitch | undefined = isUsed ? { partnerId, from, to: url.href } : undefined;
  return { partner, url, switched };
}

/**
 * Lets the platform host a partner's program: from now on the platform's ledger is the program. A transaction that is
 * created meanwhile, or that is in ERROR and posted again, is confirmed by the ledger.
 *
 * @throws UnusableProgramError while transactions wait for an answer: the program may have moved their points, or may
 * reject them
 * @throws NotFoundError, WrongOrganisationKindError
 */
export async function hostProgram(text: string, deps: ProgramDeps): Promise<SetUpProgram> {
  const partner = await findOrganisationOfKind(text, 'PARTNER', deps);
  const waiting = await deps.postings.waitingOf(partner.id);
  if (waiting.length > 0) {
    const named = waiting.slice(0, namedTransactions).join(', ');
    const wait = waiting.length === 1 ? '1 transaction waits' : `${waiting.length} transactions wait`;
    throw new UnusableProgramError(
      `${wait} for an answer of the program of ${subjectText(organisationSubject(partner))}, which may have moved the points: ${named}; ` +
        'run the command again later; without an answer, a transaction is in ERROR after a day, or seven days after the program accepted it',
    );
  }
  const changed = { ...partner, program: { kind: 'hosted' } } as const;
  await write(partner, changed, `made the program of organisation ${partner.id} a hosted one`, deps);
  return { partner: changed, secret: undefined };
}

async function write(before: Organisation, changed: Organisation, what: string, deps: ProgramDeps): Promise<void> {
  const subject = organisationSubject(changed);
  const conflict = () => new ChangedMeanwhileError(subject);
  const change = { before: { program: before.program }, after: { program: changed.program } };
  await writeAudited({ what, change, writes: [changedOrganisationWrite(before, changed)], conflict }, deps);
}

/**
 * Begins to replace the secret of a partner's own program. Until {@link retireSecret}, both secrets are valid: requests
 * carry both signatures, and reports may be signed with either secret.
 *
 * @throws UnusableProgramError when the program is hosted, or a secret is being replaced already
 */
export async function rotateSecret(text: string, deps: SecretDeps): Promise<SetUpProgram> {
  const { partner, secrets } = await findOwnProgram(text, deps);
  const [current, older] = secrets;
  if (current === undefined || older !== undefined) {
    throw new UnusableProgramError('a secret is being replaced already: retire the older one first');
  }
  const secret = newSecret(deps);
  await deps.secrets.write(partner.id, [secret, current]);
  await audit(`began to replace the secret of the program of organisation ${partner.id}`, deps);
  return { partner, secret };
}

/**
 * Ends the replacement of a secret: the older secret is no longer valid.
 *
 * @throws UnusableProgramError when the program is hosted, or has one secret only
 */
export async function retireSecret(text: string, deps: SecretDeps): Promise<SetUpProgram> {
  const { partner, secrets } = await findOwnProgram(text, deps);
  const [current, older] = secrets;
  if (current === undefined || older === undefined) {
    throw new UnusableProgramError('the program has one secret only: begin with a new one');
  }
  await deps.secrets.write(partner.id, [current]);
  await audit(`retired the older secret of the program of organisation ${partner.id}`, deps);
  return { partner, secret: undefined };
}

async function findOwnProgram(text: string, deps: SecretDeps) {
  const partner = await findOrganisationOfKind(text, 'PARTNER', deps);
  if (partner.program?.kind !== 'http') {
    throw new UnusableProgramError(`the program of organisation ${partner.id} is hosted: it has no secret`);
  }
  return { partner, secrets: await deps.secrets.of(partner.id) };
}

/** Writes the audit row of a change outside the table, such as a new secret. */
async function audit(what: string, deps: ProgramDeps): Promise<void> {
  if (!deps.author) return;
  await writeAudited({ what, writes: [], conflict: () => new UnusableProgramError('nothing was written') }, deps);
}

/** A new secret, in the notation of Standard Webhooks. */
const newSecret = ({ random }: ProgramDeps): string => secretOfKey(random(secretBytes));

function parseSecret(text: string): string {
  try {
    return secretOfKey(keyOfSecret(text));
  } catch (error) {
    throw error instanceof RangeError ? new UnusableProgramError(error.message) : error;
  }
}

/** A program with the data that operators need about it. */
export interface ProgramOverview {
  readonly partner: Organisation;
  readonly health: ProgramHealth | undefined;
  /** The transactions in ERROR, the oldest first. */
  readonly suspended: readonly RewardTransaction[];
}

/** @throws NotFoundError, WrongOrganisationKindError */
export async function loadProgramOverview(text: string, deps: ProgramDeps): Promise<ProgramOverview> {
  const partner = await findOrganisationOfKind(text, 'PARTNER', deps);
  const [health, suspended] = await Promise.all([
    deps.programHealths.find(partner.id),
    loadSuspended(partner.id, deps),
  ]);
  return { partner, health, suspended };
}

async function loadSuspended(partnerId: number, { postings, transactions }: ProgramDeps): Promise<RewardTransaction[]> {
  const ids = await postings.suspendedOf(partnerId);
  const found = await Promise.all(ids.map((id) => transactions.find(id)));
  // The index may be a little older than the table.
  return found.flatMap((transaction) => (transaction?.state === 'ERROR' ? [transaction] : []));
}

/**
 * Lets a program's transactions in ERROR be posted again. Before each post, the platform asks the program whether
 * it has the transaction.
 *
 * @param transactionId retries only this transaction; all of them by default
 * @returns the transactions that are pending again
 * @throws UnusableProgramError when there is no transaction to post again
 */
export async function retryTransactions(
  text: string,
  transactionId: number | undefined,
  deps: ProgramDeps,
): Promise<RewardTransaction[]> {
  const { partner, suspended } = await loadProgramOverview(text, deps);
  const wanted = suspended.filter(({ id }) => transactionId === undefined || id === transactionId);
  if (wanted.length === 0) {
    const which = transactionId === undefined ? 'no transaction' : `no transaction ${transactionId}`;
    throw new UnusableProgramError(`the program of organisation ${partner.id} has ${which} in ERROR`);
  }
  const resumed: RewardTransaction[] = [];
  for (const transaction of wanted) {
    const legs = await deps.transactions.withOtherLeg(transaction);
    if (await askAgain(legs, deps)) resumed.push(transaction);
  }
  await audit(`let ${resumed.length} transactions of organisation ${partner.id} be posted again`, deps);
  return resumed;
}
