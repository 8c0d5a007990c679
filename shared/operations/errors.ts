import type { ErasedUser } from '../domain/member/member.ts';
import type { MergeObstacle } from '../domain/merge/merge-members.ts';
import type { PartnershipObstacle } from '../domain/partnership.ts';
import type { MemberObstacle } from '../domain/reconciliation/open-business.ts';

/**
 * The errors that an operation throws when it cannot make the requested change. Each class carries its data; the door
 * that called the operation turns it into a reply or a sentence. `message` is for logs and stack traces.
 */

/** The thing that an error is about, with the id or name by which the caller knows the thing. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly id: number | string;
  readonly name?: string;
}

type SubjectKind =
  | 'organisation'
  | 'person'
  | 'invitation'
  | 'partnership'
  | 'campaign'
  | 'approved version'
  | 'template'
  | 'trigger'
  | 'attribute'
  | 'status tier'
  | 'velocity rule'
  | 'member'
  | 'customer'
  | 'program account'
  | 'account number'
  | 'adjustment'
  | 'linked account of member'
  | 'payment account'
  | 'payment'
  | 'key'
  | 'client'
  | 'platform key'
  | 'redirect URI'
  | 'payout batch'
  | 'user token'
  | 'order'
  | 'transaction'
  | 'decision'
  | 'document'
  | 'reward transaction, order, payment or trigger event';

/** `organisation 1 (Corner Coffee)` */
export const subjectText = ({ kind, id, name }: Subject) =>
  name === undefined ? `${kind} ${id}` : `${kind} ${id} (${name})`;

/** Base class of the errors that an operation throws when the caller asked for something impossible. */
export abstract class OperationError extends Error {}

/** Nothing has this id or name. */
export class NotFoundError extends OperationError {
  override readonly name = 'NotFoundError';
  readonly subject: Subject;
  /** The thing within which the search took place; undefined when the search covered the whole platform. */
  readonly within: Subject | undefined;
  /** A thing with almost the same name: the text may be a misspelling of it. */
  readonly similar: Subject | undefined;
  /** The kind of the thing to which the id leads instead, such as `userToken`. */
  readonly actualKind: string | undefined;

  constructor(
    subject: Subject,
    {
      within,
      similar,
      actualKind,
    }: { readonly within?: Subject; readonly similar?: Subject; readonly actualKind?: string } = {},
  ) {
    super(`${subjectText(subject)} does not exist${within ? ` in ${subjectText(within)}` : ''}`);
    this.subject = subject;
    this.within = within;
    this.similar = similar;
    this.actualKind = actualKind;
  }
}

/** Several things have this name. */
export class AmbiguousNameError extends OperationError {
  override readonly name = 'AmbiguousNameError';
  readonly subject: Subject;
  readonly ids: readonly (number | string)[];

  constructor(subject: Subject, ids: readonly (number | string)[]) {
    super(`${subjectText(subject)} is one of ${ids.join(', ')}`);
    this.subject = subject;
    this.ids = ids;
  }
}

/** The thing exists already: its name or id is taken. */
export class AlreadyExistsError extends OperationError {
  override readonly name = 'AlreadyExistsError';
  readonly subject: Subject;
  /** The owner of the name, if names are unique only within an owner. */
  readonly within: Subject | undefined;

  constructor(subject: Subject, within?: Subject) {
    super(`${subjectText(subject)} exists already${within ? ` in ${subjectText(within)}` : ''}`);
    this.subject = subject;
    this.within = within;
  }
}

/**
 * Another writer changed the thing after it was read. Nothing was written, unless `isBegun`. The caller may load the
 * thing again and retry.
 */
export class ChangedMeanwhileError extends OperationError {
  override readonly name = 'ChangedMeanwhileError';
  readonly subject: Subject;
  readonly change: 'changed' | 'revoked';
  /** Whether the operation had written a part of its work before the conflict. A repetition continues from there. */
  readonly isBegun: boolean;

  constructor(subject: Subject, change: 'changed' | 'revoked' = 'changed', { isBegun = false } = {}) {
    super(`${subjectText(subject)} was ${change} meanwhile`);
    this.subject = subject;
    this.change = change;
    this.isBegun = isBegun;
  }
}

/** The thing already has the requested state, or has a state that excludes the requested one. */
export class WrongStateError extends OperationError {
  override readonly name = 'WrongStateError';
  readonly subject: Subject;
  readonly state: 'revoked' | 'deleted' | 'active' | 'inactive';

  constructor(subject: Subject, state: WrongStateError['state']) {
    super(`${subjectText(subject)} is ${state}`);
    this.subject = subject;
    this.state = state;
  }
}

/** Something that depends on a thing, so that the thing cannot be changed or deleted. */
export interface Obstacle {
  readonly kind:
    | PartnershipObstacle['kind']
    | MemberObstacle['kind']
    | MergeObstacle['kind']
    /** Partnerships of the organisation, by UUID. */
    | 'partnerships'
    /** Keys and clients of the organisation, if there are too many of them to be revoked in one write. */
    | 'credentials'
    /** Points that members have in the partner's program. */
    | 'points'
    /** Cents of cashback that are not paid out to members yet. */
    | 'cents';
  /** Ids of the things, or one amount. */
  readonly values: readonly (number | string)[];
}

/** The thing is in use. Contains everything that depends on the thing. Nothing was written, unless `isBegun`. */
export class InUseError extends OperationError {
  override readonly name = 'InUseError';
  readonly subject: Subject;
  readonly obstacles: readonly Obstacle[];

  /**
   * Whether the operation had written a part of its work before it found the obstacles. A repetition continues from
   * there.
   */
  readonly isBegun: boolean;

  constructor(subject: Subject, obstacles: readonly Obstacle[], { isBegun = false } = {}) {
    super(
      `${subjectText(subject)} is in use: ${obstacles.map(({ kind, values }) => `${kind} ${values.join(', ')}`.trim()).join('; ')}`,
    );
    this.subject = subject;
    this.obstacles = obstacles;
    this.isBegun = isBegun;
  }
}

/** The member was erased: only the books are left. */
export class MemberErasedError extends OperationError {
  override readonly name = 'MemberErasedError';
  readonly erased: ErasedUser;

  constructor(erased: ErasedUser) {
    const { userId, erasedAt, traces } = erased;
    const rest = traces ? '; the erasure was interrupted, so give member erase once more' : '';
    super(`member ${userId} was erased at ${erasedAt}${rest}`);
    this.erased = erased;
  }
}

/** The organisation is a merchant where a partner is needed, or the other way round. */
export class WrongOrganisationKindError extends OperationError {
  override readonly name = 'WrongOrganisationKindError';
  readonly organisation: Subject;
  readonly kind: 'MERCHANT' | 'PARTNER';

  constructor(organisation: Subject, kind: 'MERCHANT' | 'PARTNER') {
    super(`${subjectText(organisation)} is a ${kind}`);
    this.organisation = organisation;
    this.kind = kind;
  }
}

/** The organisation is neither the merchant nor the partner of the partnership. */
export class NotASideError extends OperationError {
  override readonly name = 'NotASideError';
  readonly organisationId: number;

  constructor(organisationId: number) {
    super(`organisation ${organisationId} is on neither side of the partnership`);
    this.organisationId = organisationId;
  }
}

/** The rules of campaigns do not allow the change. */
export class CampaignRefusedError extends OperationError {
  override readonly name = 'CampaignRefusedError';
  /** The rule, as a sentence without a full stop. */
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** The person does not have the roles any more that allow the act. Nothing was written. */
export class NotPermittedError extends OperationError {
  override readonly name = 'NotPermittedError';

  constructor() {
    super('your roles in the organisation have changed: they do not allow this any more');
  }
}

/** An organisation always has an owner. Nothing was written. */
export class LastOwnerError extends OperationError {
  override readonly name = 'LastOwnerError';

  constructor() {
    super(
      'the last owner of an organisation cannot leave, be removed or give the role up: make another person an owner',
    );
  }
}
