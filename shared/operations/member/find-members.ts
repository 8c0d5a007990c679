import type { PlatformEvent } from '../../contracts/events.ts';
import { awsMaximumItems, maximumCount } from '../../contracts/limits.ts';
import { integerIdOf, parseIntegerId } from '../../domain/ids.ts';
import type { ErasedUser, Member, User } from '../../domain/member/member.ts';
import { hasTerms, type SearchTerm, termsOfSearch } from '../../domain/member/search-terms.ts';
import { Transactions } from '../../store/ledger/transactions.ts';
import { MemberIndex } from '../../store/member/member-index.ts';
import { Members } from '../../store/member/members.ts';
import type { Deps } from '../operation.ts';
import { allOrganisations, findOrganisationStores } from '../organisation/find-organisation.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { findErased, isMergedId } from './manage-members.ts';

export const indexMemberStores = { members: Members, memberIndex: MemberIndex };

const findMembersStores = { ...findOrganisationStores, ...indexMemberStores, transactions: Transactions };
type FindDeps = Deps<typeof findMembersStores>;

/** A member, and the id or term that led to it. */
interface FoundMember {
  readonly member: Member;
  /** `member id`, `e-mail`, `phone`, `name`, `transaction`, `linked account` or `id of organisation 1`. */
  readonly by: string;
}

/** The members that a search found. */
export interface FoundMembers {
  readonly found: readonly FoundMember[];
  /** What is left of an erased member, if the id belonged to one. */
  readonly erased: ErasedUser | undefined;
  /** Whether there are more members with the name than the search returns. */
  readonly hasMore: boolean;
}

/**
 * Finds members by an e-mail address, a phone number, words of a name, or any id: the member's own id, the id that an
 * organisation uses for the member, or the id of a linked account or of a reward transaction. All of these are tried,
 * because one text may be several of them.
 */
export async function findMembers(text: string, deps: FindDeps): Promise<FoundMembers> {
  const wanted = text.trim();
  const terms = termsOfSearch(wanted);
  const [byId, byTerms, erased] = await Promise.all([
    findByIds(wanted, deps),
    findByTerms(terms, deps),
    findErased(wanted, deps),
  ]);
  const byIdOnly = new Map(byId.map((one) => [one.userId, one.by]));
  const kind = terms[0]?.kind === 'email' ? 'e-mail' : (terms[0]?.kind ?? '');
  const ids = [...new Set([...byIdOnly.keys(), ...byTerms])];
  const members = await Promise.all(ids.slice(0, maximumCount.foundMembers).map((id) => deps.members.find(id)));
  const found = members.flatMap((member) => {
    if (!member) return [];
    const by = byIdOnly.get(member.user.id);
    if (by !== undefined) return [{ member, by }];
    return hasTerms(member.user, terms) ? [{ member, by: kind }] : [];
  });
  return { found, erased, hasMore: ids.length > maximumCount.foundMembers };
}

interface FoundId {
  readonly userId: number;
  readonly by: string;
}

async function findByIds(text: string, deps: FindDeps): Promise<FoundId[]> {
  const uuid = text.toLowerCase();
  const id = parseIntegerId(text) ?? integerIdOf(uuid);
  const isNamed = (one: { readonly id: number; readonly uuid: string } | undefined) =>
    one !== undefined && (text === String(one.id) || uuid === one.uuid);
  const byNumber = async (): Promise<FoundId[]> => {
    if (id === undefined) return [];
    const [member, transaction, linkedId] = await Promise.all([
      deps.members.find(id),
      deps.transactions.find(id),
      deps.members.findUserIdByLink(id),
    ]);
    return [
      ...(member && isNamed(member.user) ? [{ userId: member.user.id, by: 'member id' }] : []),
      ...(member && isMergedId(member, text) ? [{ userId: member.user.id, by: 'id of a merged member' }] : []),
      ...(transaction && isNamed(transaction) ? [{ userId: transaction.userId, by: 'transaction' }] : []),
      ...(linkedId !== undefined && text === String(id) ? [{ userId: linkedId, by: 'linked account' }] : []),
    ];
  };
  const byOrganisation = async (): Promise<FoundId[]> => {
    const organisations = await allOrganisations(deps);
    const ids = await Promise.all(organisations.map((one) => deps.members.findUserId(one.id, text)));
    return ids.flatMap((userId, position) => {
      const organisation = organisations[position];
      return userId === undefined || !organisation ? [] : [{ userId, by: `id of ${organisation.name}` }];
    });
  };
  return (await Promise.all([byNumber(), byOrganisation()])).flat();
}

/** Finds the members who have all of the terms. */
async function findByTerms(terms: readonly SearchTerm[], { memberIndex }: FindDeps): Promise<number[]> {
  const [first = [], ...others] = await Promise.all(terms.map((term) => memberIndex.userIdsOf(term)));
  const sets = others.map((ids) => new Set(ids));
  return first.filter((id) => sets.every((ids) => ids.has(id)));
}

/**
 * Writes the rows by which operators find a member who linked an account. Safe to repeat.
 *
 * @throws Error for a user that never existed
 */
export async function indexMember(
  event: PlatformEvent,
  { members, memberIndex }: Deps<typeof indexMemberStores>,
): Promise<void> {
  const member = await members.findOfEvent(event);
  if (member) await memberIndex.add([member.user]);
}

/**
 * Writes the rows of all members, also of members that are older than the index. Safe to repeat, also after an
 * interruption.
 *
 * @returns the number of members
 */
export async function indexAllMembers(
  users: AsyncIterable<User>,
  deps: AuditedDeps<{ readonly memberIndex: typeof MemberIndex }>,
): Promise<number> {
  let indexed = 0;
  let waiting: User[] = [];
  for await (const user of users) {
    waiting.push(user);
    if (waiting.length < awsMaximumItems.itemsPerBatch) continue;
    await deps.memberIndex.add(waiting);
    indexed += waiting.length;
    waiting = [];
  }
  await deps.memberIndex.add(waiting);
  indexed += waiting.length;
  const conflict = () => new Error('the audit trail has this row already');
  if (deps.author) await writeAudited({ what: `indexed ${indexed} members`, writes: [], conflict }, deps);
  return indexed;
}
