import type { Invitation } from '../../domain/staff/invitation.ts';
import { roleWords } from '../../domain/staff/roles.ts';
import { emailOf, type Identity, type Post, type Session, type Staff } from '../../domain/staff/staff.ts';
import { digestOf } from '../../store/credential/credentials.ts';
import { awaitedDeletion, Invitations, invitationDeletions } from '../../store/staff/invitations.ts';
import {
  changedStaffWrite,
  identityCheck,
  identityWrite,
  newIdentityWrite,
  newPostWrites,
  People,
  staffWrite,
} from '../../store/staff/people.ts';
import { sessionText } from '../../store/staff/session-text.ts';
import { Sessions, sessionWrite } from '../../store/staff/sessions.ts';
import { type Check, ConditionFailedError, type Write } from '../../store/table/table-client.ts';
import { OperationError } from '../errors.ts';
import { type Deps, decideAndWrite } from '../operation.ts';
import { staffAuditWrite } from '../write-audited.ts';

export const signInStores = { people: People, sessions: Sessions, invitations: Invitations };
export type SignInDeps = Deps<typeof signInStores>;

/** What an issuer has proved about the person at a browser. */
export interface ProvenPerson {
  readonly identity: Identity;
  /** The issuer has verified that the person reads the messages of this address. */
  readonly verifiedEmail: string;
  readonly name: string | null;
  /** When the person proved the identity. */
  readonly authenticatedAt: Date;
}

/** A person who is signed in now. */
export interface StartedSession {
  readonly staff: Staff;
  readonly session: Session;
  /** The text for the cookie. It is not stored and cannot be shown again. */
  readonly text: string;
  /** The invitation by which a new person got in; null for a person who was staff before. */
  readonly accepted: Invitation | null;
}

/** Nobody has invited the person, or an operator has reset this identity. */
export class NotInvitedError extends OperationError {
  override readonly name = 'NotInvitedError';

  constructor() {
    super('nobody has invited this e-mail address to an organisation, or the invitation is over: ask for another one');
  }
}

/** What the table knows of a person who signs in. */
type Candidate =
  | { readonly kind: 'known'; readonly staff: Staff; readonly posts: readonly Post[] }
  | { readonly kind: 'awaited'; readonly staff: Staff; readonly posts: readonly Post[] }
  | { readonly kind: 'invited'; readonly invitation: Invitation };

/**
 * Signs a person in: in a new session, always. An unknown person becomes staff by an open invitation of exactly the
 * verified address. The sign-in is in the audit trail of each organisation of the person.
 *
 * @param invitationId the invitation that an unknown person wants to accept, if there are several; by default the oldest
 * @throws NotInvitedError for everybody else
 */
export async function signIn(
  proven: ProvenPerson & { readonly invitationId?: string | undefined },
  deps: SignInDeps,
): Promise<StartedSession> {
  return decideAndWrite(
    {
      subject: 'the sign-in of a person',
      load: () => findCandidate(proven, deps),
      write: async (candidate) => {
        const { staff, writes } = admit(candidate, proven, deps);
        const started = newSession(staff, proven.authenticatedAt, deps);
        await deps.table.transact([...writes, sessionWrite(started.session)]);
        return { ...started, accepted: candidate.kind === 'invited' ? candidate.invitation : null };
      },
      // Another sign-in of the person, or the withdrawal of the invitation, was faster.
      conflicts: [ConditionFailedError],
    },
    deps,
  );
}

async function findCandidate(proven: Parameters<typeof signIn>[0], deps: SignInDeps): Promise<Candidate> {
  const found = (await findKnown(proven, deps)) ?? (await findAwaited(proven, deps));
  // Another sign-in of the same person may have used the invitation up after the identity was looked for.
  const candidate = found ?? (await findKnown(proven, deps));
  if (!candidate) throw new NotInvitedError();
  return candidate;
}

/** @throws NotInvitedError when an operator reset the identity */
async function findKnown({ identity }: ProvenPerson, { people }: SignInDeps): Promise<Candidate | undefined> {
  const staffId = await people.idOf(identity);
  if (staffId === null) throw new NotInvitedError();
  return staffId === undefined ? undefined : { kind: 'known', ...(await load(staffId, people)) };
}

async function findAwaited(
  { verifiedEmail, invitationId }: Parameters<typeof signIn>[0],
  { people, invitations, now }: SignInDeps,
): Promise<Candidate | undefined> {
  const { staffIds, invitations: open } = await invitations.awaiting(addressOf(verifiedEmail), now());
  const [staffId] = staffIds;
  if (staffId !== undefined) return { kind: 'awaited', ...(await load(staffId, people)) };
  const invitation = open.find(({ id }) => id === invitationId) ?? open[0];
  return invitation && { kind: 'invited', invitation };
}

async function load(staffId: string, people: People) {
  const [staff, posts] = await Promise.all([people.find(staffId), people.postsOf(staffId)]);
  if (!staff) throw new NotInvitedError();
  return { staff, posts };
}

/** @throws NotInvitedError when the issuer reports no address */
function addressOf(verifiedEmail: string): string {
  const email = emailOf(verifiedEmail);
  if (email === undefined) throw new NotInvitedError();
  return email;
}

interface Admission {
  readonly staff: Staff;
  readonly writes: readonly (Write | Check)[];
}

function admit(candidate: Candidate, proven: ProvenPerson, deps: SignInDeps): Admission {
  return candidate.kind === 'invited'
    ? admitInvited(candidate.invitation, proven, deps)
    : admitKnown(candidate, proven, deps);
}

function admitKnown(
  { kind, staff: before, posts }: Exclude<Candidate, { kind: 'invited' }>,
  { identity, verifiedEmail, name }: ProvenPerson,
  deps: SignInDeps,
): Admission {
  const staff: Staff = { ...before, email: addressOf(verifiedEmail), name: name ?? before.name, identity };
  const what = kind === 'known' ? 'signed in' : 'signed in with a new identity';
  const signIns = posts.map(({ organisationId, roles }) =>
    staffAuditWrite({ staff: { staffId: staff.id, organisationId, roles }, act: 'sign in', what }, deps),
  );
  const writes =
    kind === 'known'
      ? [identityCheck(identity, staff.id), changedStaffWrite(staff)]
      : [identityWrite(identity, staff.id), newIdentityWrite(staff), awaitedDeletion(before)];
  return { staff, writes: [...writes, ...signIns] };
}

function admitInvited(
  invitation: Invitation,
  { identity, verifiedEmail, name }: ProvenPerson,
  deps: SignInDeps,
): Admission {
  const createdAt = deps.now().toISOString();
  const staff: Staff = { id: deps.nextUuid(), email: addressOf(verifiedEmail), name, identity, createdAt };
  return {
    staff,
    writes: [
      staffWrite(staff),
      identityWrite(identity, staff.id),
      ...newPostWrites(postOf(invitation, staff.id, createdAt)),
      ...acceptanceWrites(invitation, staff.id, deps),
    ],
  };
}

/** The post that an invitation gives to a person. */
export const postOf = ({ organisationId, roles, invitedBy }: Invitation, staffId: string, at: string): Post => ({
  ...{ staffId, organisationId, roles, createdAt: at, revision: 1 },
  ...{ changedBy: invitedBy, changedAt: at },
});

/** The writes that use an invitation up and record who has accepted it. */
export function acceptanceWrites(
  invitation: Invitation,
  staffId: string,
  deps: Pick<SignInDeps, 'now' | 'nextUuid'>,
): Write[] {
  const { organisationId, roles } = invitation;
  const what = `accepted invitation ${invitation.id} as ${roleWords(roles)}`;
  return [
    ...invitationDeletions(invitation),
    staffAuditWrite({ staff: { staffId, organisationId, roles }, act: 'accept invitation', what }, deps),
  ];
}

function newSession(
  staff: Staff,
  authenticatedAt: Date,
  { config, now, random }: Pick<SignInDeps, 'config' | 'now' | 'random'>,
): Omit<StartedSession, 'accepted'> {
  const text = sessionText(config.stage, staff.id, random(32));
  const createdAt = now().toISOString();
  const session: Session = {
    ...{ digest: digestOf(text), staffId: staff.id, authenticatedAt: authenticatedAt.toISOString() },
    ...{ createdAt, seenAt: createdAt },
  };
  return { staff, session, text };
}

/** Ends the session of a browser, or all sessions of the person. Safe to repeat. */
export async function signOut(
  { staffId, digest, isEverywhere }: Pick<Session, 'staffId' | 'digest'> & { readonly isEverywhere: boolean },
  { sessions }: Deps<{ sessions: typeof Sessions }>,
): Promise<void> {
  await (isEverywhere ? sessions.endAll(staffId) : sessions.end({ staffId, digest }));
}
